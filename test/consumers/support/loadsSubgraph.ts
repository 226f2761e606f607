/** A second subgraph, owned by another team: loads and a shipment that reference notifications. */
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { text } from 'node:stream/consumers';
import { buildSchema, graphql } from 'graphql';
import { serve } from '../../support/http/serve.js';

const types = `
  type Query {
    loads: [Load!]!
    shipment: Shipment!
  }
  type Load {
    loadId: ID!
    notification: Notification
  }
  type Shipment {
    notifications: [Notification]
    "Wrong: one that was deleted makes the response null."
    requiredNotifications: [Notification!]!
  }
`;

export const loadsSdl = `${types} type Notification { notificationGuid: ID! }`;

export const loadsFederationSdl = `
  extend schema @link(url: "https://specs.apollo.dev/federation/v2.0", import: ["@key"])
  ${types}
  type Notification @key(fields: "notificationGuid", resolvable: false) { notificationGuid: ID! }
`;

/** Serves one load per GUID: `load-0`, `load-1`, … */
export async function startLoadsSubgraph(notificationGuids: readonly string[]) {
  const schema = buildSchema(loadsSdl);
  const loads = notificationGuids.map((notificationGuid, index) => ({
    loadId: `load-${index}`,
    notification: { __typename: 'Notification', notificationGuid },
  }));
  const notifications = loads.map(({ notification }) => notification);
  const rootValue = { loads, shipment: { notifications, requiredNotifications: notifications } };
  /** Those of each request. */
  const headers: IncomingHttpHeaders[] = [];
  const server = createServer((request, response) => {
    headers.push(request.headers);
    void text(request).then(async (body) => {
      const { query } = JSON.parse(body) as { query: string };
      const result = await graphql({ schema, source: query, rootValue });
      response.setHeader('content-type', 'application/json').end(JSON.stringify(result));
    });
  });
  const { url, stop } = await serve(server);
  return { headers, url: `${url}/graphql`, stop };
}
