import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type MockService, startMockService } from '../../src/mock/mockService.js';
import { createShipmentStore, readShipments } from '../../src/mock/shipments.js';
import { json, send } from './client.js';

const TRACK = '/atlas/frexapi/shipment/track/';
const EXCEPTION = '/atlas/frexapi/shipment/exception';

const byHauler = { FreightProviderReferenceNumber: 'REF-1004', FreightHaulerProviderXID: 'XID-2004' };
const byPlate = { FreightProviderReferenceNumber: 'REF-1004', PortalLicensePlate: 'PLATE-3004' };
const driver = { DriverPhoneNumber: '+13035550110', ShipmentTrackingType: 'Mobile' };
const noToken = {};
const deleted = { status: 204, type: null, body: undefined };
const noShipment = json(404, { messages: [{ message: 'There is no shipment with these identifiers.' }] });
const noException = json(404, {
  messages: [{ message: 'The shipment has no such exception or exception file.' }],
});

let service: MockService;
beforeEach(async () => {
  service = await startMockService();
});
afterEach(() => service.stop());

describe('tracking', () => {
  test.each([
    { ...byHauler, CarrierSCAC: 'EXMD' },
    { ...byHauler, CarrierMC: '900004' },
    { ...byPlate, CarrierDOT: '8000004', AnotherParameter: { of: 'any shape' } },
  ])('responds with true and needs no token: %j', async (shipment) => {
    expect(
      await send(service, 'POST', TRACK, { body: { ...shipment, ...driver }, headers: noToken }),
    ).toEqual(json(200, true));
  });

  test.each([
    { ...byHauler, FreightProviderReferenceNumber: 'REF-9999', CarrierSCAC: 'EXMD' },
    { ...byHauler, FreightHaulerProviderXID: 'XID-2005', CarrierSCAC: 'EXMD' },
    { ...byHauler, CarrierSCAC: 'EXMA' },
    { ...byPlate, PortalLicensePlate: 'PLATE-3005', CarrierDOT: '8000004' },
  ])('finds no shipment if one identifier does not match: %j', async (shipment) => {
    expect(
      await send(service, 'POST', TRACK, { body: { ...shipment, ...driver }, headers: noToken }),
    ).toEqual(noShipment);
  });

  test('knows 300 shipments, each with a different reference number', async () => {
    const shipments = readShipments();
    const references = shipments.map((shipment) => shipment.FreightProviderReferenceNumber);
    expect([shipments.length, new Set(references).size]).toEqual([300, 300]);
    const body = {
      FreightProviderReferenceNumber: 'REF-1300',
      PortalLicensePlate: 'PLATE-3300',
      CarrierSCAC: 'EXMD',
    };
    expect(await send(service, 'POST', TRACK, { body: { ...body, ...driver }, headers: noToken })).toEqual(
      json(200, true),
    );
  });

  test('stores the phone number and the tracking type in the shipment', () => {
    const store = createShipmentStore();
    const find = () => store.find({ ...byPlate, CarrierMC: '900004' });
    const shipment = find();
    expect(shipment).toEqual(readShipments()[3]);
    expect(shipment?.tracking).toBeNull();
    if (shipment) store.track(shipment, driver);
    expect(find()?.tracking).toEqual(driver);
    const other = { FreightProviderReferenceNumber: 'REF-1008', FreightHaulerProviderXID: 'XID-2008' };
    expect(store.find(other)?.tracking).toBeNull();
  });
});

describe('deletion of an exception', () => {
  const shipment = { ...byHauler, CarrierSCAC: 'EXMD' };

  test.each([
    ['on the entire shipment', { ExceptionGuid: 'e0000000-0000-4000-8000-000000000401' }],
    ['in another letter case', { ExceptionGuid: 'E0000000-0000-4000-8000-000000000401' }],
    ['on one of its orders', { ExceptionGuid: 'e0000000-0000-4000-8000-000000000405' }],
    ['of a file', { ExceptionFileGuid: 'f0000000-0000-4000-8000-000000000401' }],
    ['of a file of an order', { ExceptionFileGuid: 'F0000000-0000-4000-8000-000000000441' }],
  ])('%s succeeds once and needs no token', async (_name, target) => {
    const request = { body: { ...shipment, ...target }, headers: noToken };
    expect(await send(service, 'DELETE', EXCEPTION, request)).toEqual(deleted);
    expect(await send(service, 'DELETE', EXCEPTION, request)).toEqual(noException);
  });

  test('also deletes its files, while deleting a file keeps the exception and its other files', async () => {
    const remove = (target: object) =>
      send(service, 'DELETE', EXCEPTION, {
        body: { ...byPlate, CarrierMC: '900004', ...target },
        headers: noToken,
      });
    expect(await remove({ ExceptionFileGuid: 'f0000000-0000-4000-8000-000000000440' })).toEqual(deleted);
    expect(await remove({ ExceptionFileGuid: 'f0000000-0000-4000-8000-000000000441' })).toEqual(deleted);
    expect(await remove({ ExceptionGuid: 'e0000000-0000-4000-8000-000000000405' })).toEqual(deleted);
    expect(await remove({ ExceptionGuid: 'e0000000-0000-4000-8000-000000000401' })).toEqual(deleted);
    expect(await remove({ ExceptionFileGuid: 'f0000000-0000-4000-8000-000000000401' })).toEqual(noException);
  });

  test('finds neither an unknown shipment nor an exception of another shipment', async () => {
    const target = { ExceptionGuid: 'e0000000-0000-4000-8000-000000000101' };
    expect(await send(service, 'DELETE', EXCEPTION, { body: { ...shipment, ...target } })).toEqual(
      noException,
    );
    const body = { ...shipment, ...target, CarrierSCAC: 'EXMA' };
    expect(await send(service, 'DELETE', EXCEPTION, { body })).toEqual(noShipment);
  });
});
