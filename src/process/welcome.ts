interface Addresses {
  /** URL of the GraphQL endpoint. */
  url: string;
  serviceUrl: string;
  /** Whether the explorer and Sandbox are served. */
  explorerEnabled: boolean;
}

/** The message on startup with a service of the operator's own: every address. */
export function addressMessage({ url, serviceUrl, explorerEnabled }: Addresses): string {
  return `
Using the service at ${serviceUrl}.

${endpoints(url, explorerEnabled)}`;
}

/** The message on startup with the mock service: every address, and a first command to paste. */
export function welcomeMessage({ url, serviceUrl, explorerEnabled }: Addresses): string {
  const request = (query: string) =>
    `curl -s ${url} -H 'content-type: application/json' -H 'authorization: Bearer demo' -d '${query}'`;
  const create =
    '{"query":"mutation { createNotification(input: { notificationName: \\"My first notification\\", recipient: { shipmentLevel: { emailList: [\\"dispatch@example.com\\"], smsList: [\\"(303) 555-0100\\"] } }, trigger: { shipmentStatusChange: [EN_ROUTE, DELIVERED] } }) { notification { notificationGuid } } }"}';
  const read = `{"query":"{ notification(notificationGuid: \\"'$GUID'\\") { notificationGuid notificationName shipmentStatuses recipient { ... on ShipmentLevelRecipient { emailList smsList } } lastUpdateDate } }"}`;
  return `
SERVICE_URL is not set: using the mock service at ${serviceUrl} (in-memory; data is lost on exit).

${endpoints(url, explorerEnabled)}
Create a notification and read it back:

GUID=$(${request(create)} | sed 's/.*"notificationGuid":"\\([^"]*\\)".*/\\1/') &&
${request(read)}
`;
}

function endpoints(url: string, explorerEnabled: boolean): string {
  if (!explorerEnabled) return `GraphQL: ${url}\n`;
  return `GraphQL: ${url} (open it in a browser for Apollo Sandbox)
Explorer: ${new URL('explorer', url).href} (works offline)
`;
}
