/** The message on startup with the mock service: every address, and a first command to paste. */
export function welcomeMessage(url: string, serviceUrl: string): string {
  const request = (query: string) =>
    `curl -s ${url} -H 'content-type: application/json' -H 'authorization: Bearer demo' -d '${query}'`;
  const create =
    '{"query":"mutation { createNotification(input: { notificationName: \\"My first notification\\", recipient: { shipmentLevel: { emailList: [\\"dispatch@example.com\\"], smsList: [\\"(303) 555-0100\\"] } }, trigger: { shipmentStatusChange: [EN_ROUTE, DELIVERED] } }) { notification { notificationGuid } } }"}';
  const read = `{"query":"{ notification(notificationGuid: \\"'$GUID'\\") { notificationGuid notificationName shipmentStatuses recipient { ... on ShipmentLevelRecipient { emailList smsList } } lastUpdateDate } }"}`;
  return `
SERVICE_URL is not set: using the built-in mock service at ${serviceUrl} (in-memory; data is lost on exit).

GraphQL: ${url} (open it in a browser for Apollo Sandbox)
Explorer: ${new URL('explorer', url).href} (works offline)

Create a notification and read it back:

GUID=$(${request(create)} | sed 's/.*"notificationGuid":"\\([^"]*\\)".*/\\1/') &&
${request(read)}
`;
}
