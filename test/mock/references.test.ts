/** The references that make the mock service fail row by row, through the gateway: what docs/mock-service.md says of each. */
import { expect, test } from 'vitest';
import { codeSpans, tableRows } from '../docs/support/markdown.js';
import { useGateway } from '../support/gateway/gateway.js';

const gateway = useGateway({ env: { IDEMPOTENCY_STORE: 'memory' } });
const BULK =
  'mutation ($items: [TrackShipmentItem!]!) { trackShipments(items: $items) { results { outcome errors { code } } } }';

test('one list shows every outcome, and a repeat with the same keys applies the row that was rate limited', async () => {
  const rows = tableRows('docs/mock-service.md', 'Reference').map((cells) =>
    [0, 2, 3].map((index) => codeSpans(cells[index] ?? '')[0] ?? ''),
  );
  const items = rows.map(([reference = ''], index) => ({
    input: {
      shipment: {
        licensePlate: {
          freightProviderReferenceNumber: reference,
          portalLicensePlate: index === 0 ? 'PLATE-3001' : reference.replace('REF', 'PLATE'),
        },
      },
      carrier: { scac: 'EXMA' },
      driverPhoneNumber: `(303) 555-012${index}`,
      shipmentTrackingType: 'Mobile',
    },
    idempotencyKey: `b3a1f6d2-5e08-4c41-8a7b-90c2d4e6f70${index}`,
  }));
  const track = async () => {
    const { data } = await gateway.execute(BULK, { variables: { items } });
    const { results } = (
      data as { trackShipments: { results: { outcome: string; errors: { code: string }[] }[] } }
    ).trackShipments;
    return results.map(({ outcome, errors }, index) => [
      rows[index]?.[0] ?? '',
      outcome,
      [...new Set(errors.map(({ code }) => code))].join(),
    ]);
  };
  expect(new Set(rows.map(([, outcome]) => outcome))).toEqual(new Set(['APPLIED', 'NOT_APPLIED', 'UNKNOWN']));
  expect(await track()).toEqual(rows);
  expect(
    (await track()).filter(([, outcome]) => outcome === 'APPLIED').map(([reference]) => reference),
  ).toEqual(['REF-1001', 'REF-4290']);
});

test('a call that loses its connection after it was applied has been carried out', async () => {
  gateway.injectFaults({ disconnect: 'afterApplying' });
  const guid = '"12751a71-3f6c-4191-9f31-0f4e1843c23e"';
  const deletion = `mutation { deleteNotification(notificationGuid: ${guid}) { outcome errors { code } } }`;
  expect(await gateway.data(deletion)).toEqual({
    deleteNotification: { outcome: 'UNKNOWN', errors: [{ code: 'SERVICE_ERROR' }] },
  });
  const query = `{ notification(notificationGuid: ${guid}) { id } }`;
  expect(await gateway.data(query)).toEqual({ notification: null });
});
