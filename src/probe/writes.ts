/** What the service shows when it is written to: one notification of the probe's own, and identifiers that cannot exist. */
import { randomUUID } from 'node:crypto';
import type { ExceptionParameters, NotificationRequest, TrackingParameters } from '../freight/contract.js';
import { operations, type ParameterLocation, type RestOperation } from '../freight/operations.js';
import { RecipientType, SHIPMENT_STATUS_CHANGE } from '../freight/vocabulary.js';
import type { Observation } from './calls.js';
import type { Probe } from './report.js';
import { probeNotificationPath, probeStopLevel } from './reads.js';

/** Creates, reads, updates and deletes a notification that notifies nobody. */
export async function probeNotificationWrites(probe: Probe, isPathSettled: boolean): Promise<void> {
  const notificationName = `gateway probe ${randomUUID()}`;
  probe.announce(
    `Creates, updates and deletes one notification, "${notificationName}", which notifies nobody.`,
  );
  const created = await create(probe, notificationName);
  if (created === undefined) return;
  const { notificationGuid } = created;
  const leftBehind = `the notification ${notificationGuid}, "${notificationName}", may be left behind: delete it`;
  let isGone = false;
  try {
    if (!isPathSettled) await probeNotificationPath(probe, notificationGuid);
    const update = { ...definitionOf(probe, `${notificationName}, updated`), notificationGuid };
    await writeByPath(probe, 'update', operations.replaceNotification, update);
    if (!(await writeByPath(probe, 'delete', operations.deleteNotification, { notificationGuid }))) return;
    const { result } = await probe.call(operations.readNotification, { notificationGuid });
    isGone = result == null;
    if (!isGone) probe.failed('delete notification', 'expected the notification to be gone, got it');
  } finally {
    if (!isGone) probe.failed('left behind', leftBehind);
  }
}

/** The created notification; undefined if there is none. A rejected creation has had no effect, so another spelling may be sent. */
async function create(
  probe: Probe,
  notificationName: string,
): Promise<{ notificationGuid: string } | undefined> {
  const configured = probe.settings().stopLevelRecipientType;
  const other = configured === RecipientType.StopLevel ? 'stoplevel' : RecipientType.StopLevel;
  const first = await probe.call(operations.createNotification, definitionOf(probe, notificationName));
  const isRejected = first.status === 400 || first.status === 422;
  const settings = { stopLevelRecipientType: other };
  const { result, ...seen } = isRejected
    ? await probe.call(operations.createNotification, definitionOf(probe, notificationName, other), {
        settings,
      })
    : first;
  if (result !== undefined) {
    probeStopLevel(probe, [isRejected ? other : configured]);
    probe.proven('create notification', seen.summary);
    return { notificationGuid: result.notificationGuid ?? '' };
  }
  const isNotApplied = seen.error?.outcome === 'NOT_APPLIED';
  const leftBehind = isNotApplied
    ? ''
    : `; a notification "${notificationName}" may be left behind: delete it`;
  probe.failed('create notification', `expected the created notification, got ${seen.summary}${leftBehind}`);
  return undefined;
}

function definitionOf(
  probe: Probe,
  notificationName: string,
  recipientType = probe.settings().stopLevelRecipientType,
): NotificationRequest {
  return {
    notificationName,
    notificationRecipientType: recipientType,
    notifyStopContactsByEmail: false,
    notifyStopContactsBySms: false,
    notificationTypeLabel: SHIPMENT_STATUS_CHANGE,
    notificationTypes: ['ShipmentStatusDelivered'],
    filters: [],
  };
}

/** Sends a write by the path in effect, and if the service rejects it, with the identifier in the body. */
async function writeByPath<Parameters extends object>(
  probe: Probe,
  verb: string,
  operation: RestOperation<Parameters, unknown>,
  parameters: Parameters,
): Promise<boolean> {
  const first = await probe.call(operation, parameters);
  const { notificationsPath, notificationPath } = probe.settings();
  const mayBeInBody = first.error?.outcome === 'NOT_APPLIED' && notificationPath !== notificationsPath;
  const second = mayBeInBody
    ? await probe.call(operation, parameters, { settings: { notificationPath: notificationsPath } })
    : first;
  if (second.error !== undefined) {
    probe.failed(`${verb} notification`, `expected a confirmation, got ${first.summary}`);
    return false;
  }
  probe.proven(`${verb} notification`, second.summary);
  if (second !== first)
    probe.contradicted(
      'NOTIFICATION_PATH',
      notificationsPath,
      `${verb}: ${first.summary}; with the identifier in the body: ${second.summary}`,
    );
  return true;
}

/** Identifiers that cannot exist, and a phone number that is reserved for fiction. */
function madeUpShipment() {
  return {
    FreightProviderReferenceNumber: `gateway-probe-${randomUUID()}`,
    FreightHaulerProviderXID: `gateway-probe-${randomUUID()}`,
    CarrierSCAC: 'ZZZZ',
  };
}

export async function probeTracking(probe: Probe): Promise<void> {
  probe.announce('Asks to track a shipment that cannot exist, with the fictional number +1 303 555 0100.');
  const parameters: TrackingParameters = {
    ...madeUpShipment(),
    DriverPhoneNumber: '+13035550100',
    ShipmentTrackingType: 'Mobile',
  };
  const location = await probeParameterLocation(probe, {
    operation: operations.trackShipment,
    parameters,
    pathVariable: 'TRACKING_PATH',
    variable: 'TRACKING_PARAMETERS_IN',
    setting: 'trackingParametersIn',
  });
  if (location === undefined) return;
  await probePhoneFormat(probe, parameters, location);
  await probeLicensePlate(probe, parameters, location);
}

export async function probeExceptions(probe: Probe): Promise<void> {
  probe.announce('Deletes an exception that cannot exist.');
  const parameters: ExceptionParameters = { ...madeUpShipment(), ExceptionGuid: randomUUID() };
  await probeParameterLocation(probe, {
    operation: operations.deleteException,
    parameters,
    pathVariable: 'EXCEPTION_PATH',
    variable: 'EXCEPTION_PARAMETERS_IN',
    setting: 'exceptionParametersIn',
  });
}

interface ShipmentPoint<Parameters extends object> {
  operation: RestOperation<Parameters, unknown>;
  parameters: Parameters;
  pathVariable: 'EXCEPTION_PATH' | 'TRACKING_PATH';
  variable: 'EXCEPTION_PARAMETERS_IN' | 'TRACKING_PARAMETERS_IN';
  setting: 'exceptionParametersIn' | 'trackingParametersIn';
}

/**
 * Compares three responses: a service that ignores parameters in a place responds as it does without any. Returns the response to the
 * parameters in their place; undefined if that is not known.
 */
async function probeParameterLocation<Parameters extends object>(
  probe: Probe,
  { operation, parameters, pathVariable, variable, setting }: ShipmentPoint<Parameters>,
): Promise<Observation | undefined> {
  const none = await probe.call({ ...operation, parameters: () => ({}) }, parameters);
  if (none.status === 401) {
    probe.failed(pathVariable, `expected the token or SHIPMENT_PARAMETERS to suffice, got ${none.summary}`);
    return undefined;
  }
  if (none.status === undefined || none.status >= 500 || none.status === 405) {
    probe.failed(pathVariable, `expected a rejection, got ${none.summary}`);
    return undefined;
  }
  const send = (location: ParameterLocation) =>
    probe.call(operation, parameters, { settings: { [setting]: location } });
  const seen = { body: await send('body'), query: await send('query') };
  const differs = (location: ParameterLocation) => formOf(seen[location]) !== formOf(none);
  const words = `none: ${none.summary}; in the body: ${seen.body.summary}; in the query: ${seen.query.summary}`;
  const inEffect = probe.settings()[setting];
  const other = inEffect === 'body' ? 'query' : 'body';
  if (differs('body') || differs('query'))
    probe.proven(pathVariable, 'the response depends on the parameters');
  if (differs(inEffect) && (!differs(other) || formOf(seen.body) === formOf(seen.query))) {
    probe.proven(variable, words);
    return seen[inEffect];
  }
  if (differs(other) && !differs(inEffect)) {
    probe.contradicted(variable, other, words);
    return seen[other];
  }
  if (!differs(inEffect) && none.status === 404)
    probe.failed(
      pathVariable,
      `expected the parameters to matter, got ${none.summary} whatever was sent: the path or the base URL is another one`,
    );
  else probe.assumed(variable, `${words}: a shipment that exists would show it`);
  return undefined;
}

/** A response without what differs in each: identifiers, numbers, times. */
function formOf({ status, body, error }: Observation): string {
  const text = JSON.stringify(error?.serviceMessages ?? body ?? null);
  return `${status ?? ''} ${text.replace(/gateway-probe-[\w-]+|[\da-f]{8}-[\w-]{27}|\d+/gi, '#')}`;
}

/** A rejection that is about the phone number is compared with the response to digits alone. */
async function probePhoneFormat(
  probe: Probe,
  parameters: TrackingParameters,
  seen: Observation,
): Promise<void> {
  const variable = 'DRIVER_PHONE_FORMAT';
  const blamesPhone = ({ error }: Observation) => /phone/i.test(JSON.stringify(error?.serviceMessages ?? ''));
  if (!blamesPhone(seen)) {
    probe.assumed(variable, `${seen.summary}: a shipment that exists would show it`);
    return;
  }
  const digits = await probe.call(operations.trackShipment, {
    ...parameters,
    DriverPhoneNumber: parameters.DriverPhoneNumber.slice(1),
  });
  if (blamesPhone(digits)) probe.failed(variable, `expected E.164 or digits to do, got ${digits.summary}`);
  else probe.contradicted(variable, 'digits', `${seen.summary}; digits alone: ${digits.summary}`);
}

/**
 * A service that does not know the name of the license plate responds as if there were none, and may say which name it expects. If it
 * responds in the same way to every request, that shows nothing.
 */
async function probeLicensePlate(
  probe: Probe,
  { FreightHaulerProviderXID: identifier = '', ...others }: TrackingParameters,
  byHauler: Observation,
): Promise<void> {
  const variable = 'LICENSE_PLATE_PARAMETER';
  const neither = await probe.call(operations.trackShipment, others);
  const byPlate = await probe.call(operations.trackShipment, { ...others, PortalLicensePlate: identifier });
  const isUnderstood = formOf(byPlate) === formOf(byHauler) && formOf(byPlate) !== formOf(neither);
  const messages = JSON.stringify([neither, byPlate].map(({ error }) => error?.serviceMessages));
  const name = /\w*license_?plate\w*/i.exec(messages)?.[0];
  if (isUnderstood) probe.proven(variable, `with it ${byPlate.summary}, without it ${neither.summary}`);
  else if (name !== undefined && name !== probe.settings().licensePlateParameter)
    probe.contradicted(variable, name, `${byPlate.summary}; with a hauler ${byHauler.summary}`);
  else probe.assumed(variable, `${byPlate.summary}: a shipment that exists would show it`);
}
