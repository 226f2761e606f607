/** What services of different frameworks respond with when they reject or fail a tracking call, each behind a gateway of its own. */
import type { Fault } from '../../../src/mock/mockService.js';

/** In each response where clients must not see it: internals, echoes of the request, paths. */
export const LEAK = 'LEAK';

export interface GatewayError {
  readonly fault: Fault;
  /** @default by the status, as the RFCs have it */
  readonly code?: string;
  /** Per argument, by its path in the input. */
  readonly atArguments?: Readonly<Record<string, readonly object[]>>;
  /** What is said of no argument. */
  readonly others?: readonly unknown[];
}

export type Situation = 'gateway' | 'internal' | 'notFound' | 'rejection' | 'unauthorized' | 'validation';
/** Those in which its bodies have a form that no other kind has. */
export type ServiceKind = Readonly<Partial<Record<Situation, GatewayError>>>;

const json = (status: number, body: unknown, type = 'application/json'): Fault => ({
  status,
  headers: { 'content-type': type },
  body: typeof body === 'string' ? body : JSON.stringify(body),
});
const problem = (status: number, members: object) =>
  json(
    status,
    { type: `https://${LEAK}.example/problem`, status, traceId: LEAK, instance: `/${LEAK}`, ...members },
    'application/problem+json',
  );
const text = (status: number, body: string) => json(status, body, 'text/plain; charset=utf-8');
const page = (status: number): GatewayError => ({
  fault: json(status, `<!DOCTYPE html><title>${LEAK}</title>`, 'text/html'),
  ...(status === 404 && { code: 'SERVICE_RESPONSE_INVALID' }),
});
const said = (fault: Fault, ...others: unknown[]): GatewayError => ({ fault, others });

const about = (field: string, ...messages: string[]) => messages.map((message) => ({ field, message }));
const TRACE = `System.NullReferenceException: ${LEAK}\r\n   at Freight.${LEAK}.Track() in C:\\${LEAK}.cs:line 12`;
const PHONE = 'driverPhoneNumber';
const REFERENCE = 'shipment.hauler.freightProviderReferenceNumber';
const HAULER = 'shipment.hauler.freightHaulerProviderXid';
const SCAC = 'carrier.scac';

const springError = (status: number, error: string, members: object) => ({
  timestamp: `2024-05-01T08:30:00 ${LEAK}`,
  status,
  error,
  path: `/atlas/${LEAK}`,
  ...members,
});

const CLOSED = 'The shipment is closed.';
const ABSENT = 'No such shipment.';
const NO_MOBILE = 'It is no mobile.';
const UNKNOWN = 'It is unknown.';
const BROKE = 'It broke.';
/** Reason phrases of HTTP. */
const BAD_REQUEST = 'Bad Request';
const UNAUTHORIZED = 'Unauthorized';
const NOT_FOUND = 'Not Found';
const FAILED = 'Internal Server Error';

export const serviceKinds: Readonly<Record<string, ServiceKind>> = {
  'ASP.NET Web API 2 behind IIS': {
    rejection: said(json(400, { Message: CLOSED }), CLOSED),
    validation: {
      fault: json(400, {
        Message: 'The request is invalid.',
        ModelState: {
          'model.DriverPhoneNumber': [NO_MOBILE, 'It is blocked.'],
          'model.CarrierSCAC': [UNKNOWN],
        },
      }),
      atArguments: {
        [PHONE]: about('DriverPhoneNumber', NO_MOBILE, 'It is blocked.'),
        [SCAC]: about('CarrierSCAC', UNKNOWN),
      },
      others: ['The request is invalid.'],
    },
    notFound: said(json(404, { Message: ABSENT, MessageDetail: 'None of yours.' }), ABSENT, 'None of yours.'),
    internal: said(
      json(500, {
        Message: 'An error has occurred.',
        ExceptionMessage: LEAK,
        ExceptionType: `System.${LEAK}`,
        StackTrace: TRACE,
        InnerException: { Message: LEAK, StackTrace: TRACE },
      }),
      'An error has occurred.',
    ),
    gateway: page(404),
  },

  'ASP.NET Core behind Azure API Management': {
    rejection: said(problem(400, { title: BAD_REQUEST, detail: CLOSED }), CLOSED),
    validation: {
      fault: problem(400, {
        title: 'One or more validation errors occurred.',
        errors: {
          DriverPhoneNumber: [NO_MOBILE],
          '$.CarrierSCAC': [UNKNOWN],
          Depot: ['It is missing.'],
        },
      }),
      atArguments: {
        [PHONE]: about('DriverPhoneNumber', NO_MOBILE),
        [SCAC]: about('CarrierSCAC', UNKNOWN),
      },
      others: ['One or more validation errors occurred.', { field: 'Depot', message: 'It is missing.' }],
    },
    notFound: said(problem(404, { title: NOT_FOUND }), NOT_FOUND),
    // It is about the key of the operator, and not about the token of the client.
    unauthorized: {
      ...said(
        json(401, { statusCode: 401, message: 'Access denied due to missing subscription key.' }),
        'Access denied due to missing subscription key.',
      ),
      code: 'SERVICE_REJECTED',
    },
    internal: { fault: { status: 500 } },
  },

  'Spring Boot behind nginx': {
    rejection: said(json(400, springError(400, BAD_REQUEST, { message: CLOSED })), CLOSED),
    validation: {
      fault: json(
        400,
        springError(400, BAD_REQUEST, {
          message: 'Validation failed. Error count: 1',
          errors: [
            {
              codes: [`NotNull.${LEAK}`],
              arguments: [{ defaultMessage: 'driverPhoneNumber', code: LEAK }],
              objectName: LEAK,
              field: 'driverPhoneNumber',
              rejectedValue: LEAK,
              defaultMessage: 'must be a mobile',
            },
          ],
        }),
      ),
      atArguments: { [PHONE]: about('driverPhoneNumber', 'must be a mobile') },
      others: ['Validation failed. Error count: 1'],
    },
    unauthorized: said(json(401, springError(401, UNAUTHORIZED, {})), UNAUTHORIZED),
    internal: said(
      json(
        500,
        springError(500, FAILED, {
          exception: `java.lang.${LEAK}`,
          trace: `java.lang.${LEAK}\n\tat a.B.c(B.java:1)`,
        }),
      ),
      FAILED,
    ),
  },

  'FastAPI behind an AWS load balancer': {
    validation: {
      fault: json(422, {
        detail: [
          {
            type: 'missing',
            loc: ['body', 'DriverPhoneNumber'],
            msg: 'Field required',
            input: { LEAK },
            url: `https://${LEAK}`,
          },
          {
            type: 'value',
            loc: ['body', 'FreightProviderReferenceNumber'],
            msg: 'Unknown',
            ctx: { error: {} },
          },
        ],
      }),
      atArguments: {
        [PHONE]: about('DriverPhoneNumber', 'Field required'),
        [REFERENCE]: about('FreightProviderReferenceNumber', 'Unknown'),
      },
    },
  },

  'Django REST framework behind AWS API Gateway': {
    validation: {
      fault: json(400, {
        DriverPhoneNumber: ['Required.'],
        depot: ['No such depot.'],
        non_field_errors: ['Pick one.'],
      }),
      atArguments: { [PHONE]: about('DriverPhoneNumber', 'Required.') },
      others: [{ field: 'depot', message: 'No such depot.' }, 'Pick one.'],
    },
  },

  'Go behind Kong': {
    rejection: said(text(400, 'the shipment is closed\n'), 'the shipment is closed'),
    validation: {
      fault: text(422, JSON.stringify({ error: { driver_phone_number: 'is no mobile' } })),
      atArguments: { [PHONE]: about('driver_phone_number', 'is no mobile') },
    },
    notFound: {
      ...said(text(404, 'no such shipment\n'), 'no such shipment'),
      code: 'SERVICE_RESPONSE_INVALID',
    },
    internal: { fault: text(500, `panic: ${LEAK}\n\ngoroutine 1 [running]:\nmain.go:12`) },
  },

  'NestJS behind Envoy': {
    validation: said(
      json(400, {
        statusCode: 400,
        message: ['phone must be a mobile', 'scac is unknown'],
        error: BAD_REQUEST,
      }),
      'phone must be a mobile',
      'scac is unknown',
    ),
  },

  'JSON:API behind Traefik': {
    validation: {
      fault: json(
        422,
        {
          errors: [
            {
              status: '422',
              code: LEAK,
              source: { pointer: '/data/attributes/driver-phone-number' },
              title: 'Invalid',
              detail: NO_MOBILE,
            },
            {
              status: '422',
              source: { parameter: 'carrierScac' },
              detail: UNKNOWN,
              meta: { trace: LEAK },
            },
          ],
        },
        'application/vnd.api+json',
      ),
      atArguments: {
        [PHONE]: about('driver-phone-number', NO_MOBILE),
        [SCAC]: about('carrierScac', UNKNOWN),
      },
    },
  },

  'gRPC behind a Google API gateway': {
    validation: {
      fault: json(400, {
        error: {
          code: 400,
          message: 'Request contains an invalid argument.',
          status: 'INVALID_ARGUMENT',
          details: [
            {
              '@type': LEAK,
              fieldViolations: [{ field: 'driver_phone_number', description: NO_MOBILE }],
            },
            { '@type': LEAK, stackEntries: [LEAK] },
          ],
        },
      }),
      atArguments: { [PHONE]: about('driver_phone_number', NO_MOBILE) },
      others: ['Request contains an invalid argument.'],
    },
  },

  'OData behind Apigee': {
    rejection: said(
      json(400, {
        'odata.error': { code: LEAK, message: { lang: 'en-US', value: CLOSED } },
      }),
      CLOSED,
    ),
    validation: {
      fault: json(400, {
        error: {
          code: LEAK,
          message: 'Some values are invalid.',
          details: [{ code: LEAK, target: 'FreightHaulerProviderXID', message: UNKNOWN }],
          innererror: { message: LEAK, type: LEAK, stacktrace: TRACE },
        },
      }),
      atArguments: { [HAULER]: about('FreightHaulerProviderXID', UNKNOWN) },
      others: ['Some values are invalid.'],
    },
    unauthorized: said(
      json(401, {
        fault: { faultstring: 'Invalid Access Token', detail: { errorcode: `keymanagement.${LEAK}` } },
      }),
      'Invalid Access Token',
    ),
  },

  'Express with a validator behind a proxy without media types': {
    validation: {
      fault: json(
        400,
        '\uFEFF' +
          JSON.stringify({
            errors: [
              {
                type: 'field',
                value: LEAK,
                msg: NO_MOBILE,
                path: 'DriverPhoneNumber',
                location: 'body',
              },
            ],
          }),
        'application/octet-stream',
      ),
      atArguments: { [PHONE]: about('DriverPhoneNumber', NO_MOBILE) },
    },
    unauthorized: said(json(401, { err: 'jwt expired' }, 'text/plain; charset=utf-16'), 'jwt expired'),
    internal: said(
      json(500, { message: BROKE, stack: `Error: ${LEAK}\n    at track (/${LEAK}.js:1:2)` }),
      BROKE,
    ),
  },

  'ASP.NET by its document behind an API manager': {
    rejection: said(json(400, { resultCode: '1001', resultText: CLOSED }), CLOSED),
  },
};
