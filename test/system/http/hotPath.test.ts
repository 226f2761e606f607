/** What a request of a hot operation costs that no busy machine changes: its promises. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { READ, TRACK } from '../../support/graphql/documents.js';
import { validArguments } from '../../support/graphql/rootFields.js';
import { startGatewayProcess, type GatewayProcess } from '../../support/process/gatewayProcess.js';
import { startFaultServer } from '../../support/service/faultServer.js';
import { useStarted } from '../../support/tools/useStarted.js';
import { post } from '../../support/http/post.js';

/** Replies with the promises that were made since the last message. */
const probe = `
  import { createHook } from 'node:async_hooks';
  let promises = 0;
  createHook({ init: (_id, type) => { if (type === 'PROMISE') promises += 1; } }).enable();
  process.on('message', () => { process.send(promises); promises = 0; });`;

const REQUESTS = 200;
const service = useStarted(startFaultServer);
let gateway: GatewayProcess;
let url: string;
beforeAll(async () => {
  gateway = startGatewayProcess({
    probe,
    env: { NODE_ENV: 'production', IDEMPOTENCY_STORE: 'off', SERVICE_URL: service.url },
  });
  url = `${await gateway.listening()}/graphql`;
});
afterAll(() => gateway.stop());

test.each([
  { name: 'a read', maxPromises: 28, query: READ, variablesOf: (index: number) => ({ guid: `g${index}` }) },
  {
    name: 'a tracking call',
    maxPromises: 26,
    query: TRACK,
    variablesOf: () => validArguments('trackShipment'),
  },
])(
  '$name of a hot operation makes at most $maxPromises promises',
  async ({ name, maxPromises, query, variablesOf }) => {
    const send = async (index: number) => {
      const { errors } = await post(url, JSON.stringify({ query, variables: variablesOf(index) }), {
        headers: { authorization: 'Bearer token' },
      });
      expect(errors).toBeUndefined();
    };
    const sendAll = async () => {
      for (let index = 0; index < REQUESTS; index += 1) await send(index);
    };
    let promises = Infinity;
    // It is compiled when the process is idle, after at most a second.
    for (let round = 0; round < 50 && promises > maxPromises; round += 1) {
      await gateway.ask('reset');
      await sendAll();
      promises = Math.round(((await gateway.ask('read')) as number) / REQUESTS);
    }
    console.log(`${name}: ${promises} promises`);
    expect(promises).toBeLessThanOrEqual(maxPromises);
  },
);
