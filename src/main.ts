/** The program: environment, configuration, gateway, signals. */
import { pino } from 'pino';
import { ConfigError, parseConfig, type Config } from './config.js';
import { createGateway } from './gateway.js';

const log = pino();

try {
  await start(parseConfig(process.env));
} catch (error) {
  if (error instanceof ConfigError) console.error(error.message);
  else log.fatal({ err: error }, 'The gateway cannot start');
  process.exit(1);
}

async function start(config: Config): Promise<void> {
  const { SERVICE_URL } = config;
  if (SERVICE_URL !== undefined) {
    const gateway = await createGateway({ config: { ...config, SERVICE_URL }, log });
    await gateway.listen();
    stopOnSignals(() => gateway.stop());
    return;
  }
  log.level = 'warn';
  const { startReferenceService } = await import('./reference-service/referenceService.js');
  const service = await startReferenceService({ record: false });
  const gateway = await createGateway({ config: { ...config, SERVICE_URL: new URL(service.url) }, log });
  const url = await gateway.listen();
  stopOnSignals(async () => {
    await gateway.stop();
    await service.stop();
  });
  console.log(greeting(url, service.url));
}

function stopOnSignals(stop: () => Promise<void>): void {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      stop().catch((error: unknown) => {
        log.error({ err: error }, 'The gateway did not stop cleanly');
        process.exitCode = 1;
      });
    });
  }
}

/** What a newcomer sees: where everything is, and a first command. */
function greeting(url: string, serviceUrl: string): string {
  const request = (query: string) =>
    `curl -s ${url} -H 'content-type: application/json' -H 'authorization: Bearer demo' -d '${query}'`;
  const create =
    '{"query":"mutation { createNotification(input: { notificationName: \\"My first notification\\", recipient: { shipmentLevel: { emailList: [\\"dispatch@example.com\\"], smsList: [\\"(303) 555-0100\\"] } }, trigger: { shipmentStatusChange: [EN_ROUTE, DELIVERED] } }) { notification { notificationGuid } } }"}';
  const read = `{"query":"{ notification(notificationGuid: \\"'$GUID'\\") { notificationGuid notificationName shipmentStatuses recipient { ... on ShipmentLevelRecipient { emailList smsList } } lastUpdateDate } }"}`;
  return `
No SERVICE_URL is set, so the embedded reference service answers, on ${serviceUrl}; its data is gone when it stops.

GraphQL: ${url} (open it in a browser for Apollo Sandbox)

Create a notification and read it back:

GUID=$(${request(create)} | sed 's/.*"notificationGuid":"\\([^"]*\\)".*/\\1/') &&
${request(read)}
`;
}
