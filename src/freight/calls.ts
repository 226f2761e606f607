/** The REST calls: method, path and parameters of each operation. */
import { appendQuery, fillPath, hasGuidPlaceholder, type QueryParameters } from '../domain/parameters.js';
import type {
  ExceptionParameters,
  NotificationRequest,
  ShipmentParameters,
  TrackingParameters,
} from './contract.js';
import { basePathOf, type EndpointCall, type EndpointsOptions } from './endpoints.js';

export interface CallOptions extends Pick<
  EndpointsOptions,
  'notificationServiceUrl' | 'shipmentParameters' | 'shipmentServiceUrl'
> {
  /** Path templates. */
  paths: { notifications: string; notification: string; tracking: string; exception: string };
  trackingParametersIn: ParameterLocation;
  exceptionParametersIn: ParameterLocation;
  /** The service's name for the contract's PortalLicensePlate. */
  licensePlateParameter: string;
}

/** A method, and the path template it is sent to. */
export interface RestEndpoint {
  method: EndpointCall['method'];
  route: string;
}

/** Everything that the calls below are sent to: the closed set of labels for metrics. */
export function endpointsOf({ notifications, notification, tracking, exception }: CallOptions['paths']) {
  return [
    { method: 'GET', route: notifications },
    { method: 'POST', route: notifications },
    { method: 'GET', route: notification },
    { method: 'PUT', route: notification },
    { method: 'DELETE', route: notification },
    { method: 'POST', route: tracking },
    { method: 'DELETE', route: exception },
  ] as const satisfies RestEndpoint[];
}

export type ParameterLocation = 'body' | 'query';
export type TargetBytes = ReturnType<typeof createCalls>['targetBytes'];

export function createCalls(options: CallOptions) {
  const { paths, trackingParametersIn, exceptionParametersIn } = options;

  /** A call for one notification. Without a placeholder in the path, the guid goes into the query or the body. */
  const notificationCall = (
    method: 'DELETE' | 'GET' | 'PUT',
    notificationGuid: string,
    body?: NotificationRequest,
  ): EndpointCall => {
    const route = paths.notification;
    const path = fillPath(route, notificationGuid);
    if (body !== undefined) return { method, route, path, body: { ...body, notificationGuid } };
    if (hasGuidPlaceholder(route)) return { method, route, path };
    return method === 'GET'
      ? { method, route, path: appendQuery(path, { notificationGuid }) }
      : { method, route, path, body: { notificationGuid } };
  };

  const listCall = (parameters: QueryParameters): EndpointCall => {
    const route = paths.notifications;
    const path = appendQuery(route, parameters);
    return { method: 'GET', route, path, dedupeAs: 'notifications', mayBeLarge: true };
  };

  const shipmentCall = (
    method: 'DELETE' | 'POST',
    path: string,
    location: ParameterLocation,
    { PortalLicensePlate, ...others }: ShipmentParameters,
  ): EndpointCall => {
    const licensePlate =
      PortalLicensePlate === undefined ? {} : { [options.licensePlateParameter]: PortalLicensePlate };
    const requestWith = (fixed: Readonly<Record<string, unknown>>) => {
      const parameters = { ...others, ...licensePlate, ...fixed };
      return location === 'body' ? { path, body: parameters } : { path: appendQuery(path, parameters) };
    };
    const redactedRequest = () =>
      requestWith(
        Object.fromEntries(Object.keys(options.shipmentParameters).map((name) => [name, `<${name}>`])),
      );
    return { method, route: path, ...requestWith(options.shipmentParameters), redactedRequest };
  };
  const trackingCall = (parameters: TrackingParameters) =>
    shipmentCall('POST', paths.tracking, trackingParametersIn, parameters);
  const exceptionCall = (parameters: ExceptionParameters) =>
    shipmentCall('DELETE', paths.exception, exceptionParametersIn, parameters);

  /** Percent-encoded, a path and its query are ASCII. */
  const bytesOf = (url: URL, { path }: EndpointCall) => basePathOf(url).length + path.length;

  return {
    notificationCall,
    listCall,
    trackingCall,
    exceptionCall,
    /** Bytes of the path and query, as they are sent, of the calls whose parameters can be part of it. */
    targetBytes: {
      listNotifications: (parameters: QueryParameters) =>
        bytesOf(options.notificationServiceUrl, listCall(parameters)),
      trackShipment: (parameters: TrackingParameters) =>
        bytesOf(options.shipmentServiceUrl, trackingCall(parameters)),
      deleteException: (parameters: ExceptionParameters) =>
        bytesOf(options.shipmentServiceUrl, exceptionCall(parameters)),
    },
  };
}
