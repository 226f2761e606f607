/**
 * Baseline without GraphQL: node:http and undici build the gateway's responses by hand. Nothing is validated, so this
 * is the fastest that a gateway on Node.js can be.
 */
import { createServer } from 'node:http';
import { Pool } from 'undici';

const pool = new Pool(process.env.UPSTREAM_URL, { connections: 128 });

createServer((request, response) => {
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', async () => {
    const { variables } = JSON.parse(Buffer.concat(chunks).toString());
    const data = await resolve(variables, request.headers.authorization);
    const body = Buffer.from(JSON.stringify({ data }));
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length }).end(body);
  });
}).listen(Number(process.env.PORT), '127.0.0.1');

/** As many at a time as the gateway sends for one operation. */
const LANES = 32;

async function resolve({ guid, guids, input, items }, authorization) {
  const read = async (notificationGuid) => {
    const { data } = await call('GET', `/v1/customnotifications/${notificationGuid}`, authorization);
    return notificationOf(data[0]);
  };
  if (guid !== undefined) return { notification: await read(guid) };
  if (guids !== undefined) return { notificationsByGuid: await Promise.all(guids.map(read)) };
  if (input !== undefined) return { trackShipment: { tracked: await track(input, authorization) } };
  if (items !== undefined) {
    const results = [];
    let next = 0;
    const lane = async () => {
      for (let index = next++; index < items.length; index = next++)
        results[index] = { tracked: await track(items[index].input, authorization) };
    };
    await Promise.all(Array.from({ length: LANES }, lane));
    return { trackShipments: { results } };
  }
  const { data } = await call('GET', '/v1/customnotifications', authorization);
  return { notifications: { notifications: data.map(notificationOf) } };
}

function track({ shipment, carrier, driverPhoneNumber, shipmentTrackingType }, authorization) {
  return call('POST', '/atlas/frexapi/shipment/track/', authorization, {
    FreightProviderReferenceNumber: shipment.hauler.freightProviderReferenceNumber,
    FreightHaulerProviderXID: shipment.hauler.freightHaulerProviderXid,
    CarrierSCAC: carrier.scac,
    DriverPhoneNumber: driverPhoneNumber,
    ShipmentTrackingType: shipmentTrackingType,
  });
}

async function call(method, path, authorization, body) {
  const headers = { authorization, ...(body && { 'content-type': 'application/json' }) };
  const response = await pool.request({ method, path, headers, body: body && JSON.stringify(body) });
  return response.body.json();
}

function notificationOf(record) {
  return {
    notificationGuid: record.notificationGuid,
    notificationName: record.notificationName,
    recipient: {
      notificationRecipientType: record.notificationRecipientType,
      emailList: record.emailList,
      smsList: record.smsList.map((digits) => `+${digits}`),
    },
    notificationTypeLabel: record.notificationTypeLabel,
    notificationTypes: record.notificationTypes,
    filters: record.filters,
    notificationMetaData: record.notificationMetaData,
    lastUpdateUserName: record.lastUpdateUserName,
    lastUpdateDate: record.lastUpdateDate,
  };
}
