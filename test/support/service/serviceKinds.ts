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
export type ServiceKind = Readonly<Record<Situation, GatewayError>>;

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

export const serviceKinds: Readonly<Record<string, ServiceKind>> = {
  'ASP.NET Web API 2 behind IIS': {
    rejection: said(json(400, { Message: 'The shipment is closed.' }), 'The shipment is closed.'),
    validation: {
      fault: json(400, {
        Message: 'The request is invalid.',
        ModelState: {
          'model.DriverPhoneNumber': ['It is no mobile.', 'It is blocked.'],
          'model.CarrierSCAC': ['It is unknown.'],
        },
      }),
      atArguments: {
        [PHONE]: about('DriverPhoneNumber', 'It is no mobile.', 'It is blocked.'),
        [SCAC]: about('CarrierSCAC', 'It is unknown.'),
      },
      others: ['The request is invalid.'],
    },
    notFound: said(
      json(404, { Message: 'No such shipment.', MessageDetail: 'None of yours.' }),
      'No such shipment.',
      'None of yours.',
    ),
    unauthorized: said(
      json(401, { Message: 'Authorization has been denied for this request.' }),
      'Authorization has been denied for this request.',
    ),
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
    rejection: said(
      problem(400, { title: 'Bad Request', detail: 'The shipment is closed.' }),
      'The shipment is closed.',
    ),
    validation: {
      fault: problem(400, {
        title: 'One or more validation errors occurred.',
        errors: {
          DriverPhoneNumber: ['It is no mobile.'],
          '$.CarrierSCAC': ['It is unknown.'],
          Depot: ['It is missing.'],
        },
      }),
      atArguments: {
        [PHONE]: about('DriverPhoneNumber', 'It is no mobile.'),
        [SCAC]: about('CarrierSCAC', 'It is unknown.'),
      },
      others: ['One or more validation errors occurred.', { field: 'Depot', message: 'It is missing.' }],
    },
    notFound: said(problem(404, { title: 'Not Found' }), 'Not Found'),
    // It is about the key of the operator, and not about the token of the client.
    unauthorized: {
      ...said(
        json(401, { statusCode: 401, message: 'Access denied due to missing subscription key.' }),
        'Access denied due to missing subscription key.',
      ),
      code: 'SERVICE_REJECTED',
    },
    internal: { fault: { status: 500 } },
    gateway: said(
      json(403, { statusCode: 403, message: 'Out of call volume quota.' }),
      'Out of call volume quota.',
    ),
  },

  'Spring Boot behind nginx': {
    rejection: said(
      json(400, springError(400, 'Bad Request', { message: 'The shipment is closed.' })),
      'The shipment is closed.',
    ),
    validation: {
      fault: json(
        400,
        springError(400, 'Bad Request', {
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
    notFound: said(
      json(404, springError(404, 'Not Found', { message: 'No such shipment.' })),
      'No such shipment.',
    ),
    unauthorized: said(json(401, springError(401, 'Unauthorized', {})), 'Unauthorized'),
    internal: said(
      json(
        500,
        springError(500, 'Internal Server Error', {
          exception: `java.lang.${LEAK}`,
          trace: `java.lang.${LEAK}\n\tat a.B.c(B.java:1)`,
        }),
      ),
      'Internal Server Error',
    ),
    gateway: page(502),
  },

  'FastAPI behind an AWS load balancer': {
    rejection: said(json(400, { detail: 'The shipment is closed.' }), 'The shipment is closed.'),
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
    notFound: said(json(404, { detail: 'Not Found' }), 'Not Found'),
    unauthorized: said(json(401, { detail: 'Not authenticated' }), 'Not authenticated'),
    internal: { ...said(text(500, 'Internal Server Error'), 'Internal Server Error') },
    gateway: page(503),
  },

  'Django REST framework behind AWS API Gateway': {
    rejection: said(json(400, ['The shipment is closed.']), 'The shipment is closed.'),
    validation: {
      fault: json(400, {
        DriverPhoneNumber: ['Required.'],
        depot: ['No such depot.'],
        non_field_errors: ['Pick one.'],
      }),
      atArguments: { [PHONE]: about('DriverPhoneNumber', 'Required.') },
      others: [{ field: 'depot', message: 'No such depot.' }, 'Pick one.'],
    },
    notFound: said(json(404, { detail: 'No such shipment.' }), 'No such shipment.'),
    unauthorized: said(json(401, { detail: 'Invalid token.' }), 'Invalid token.'),
    internal: page(500),
    gateway: said(json(403, { message: 'Forbidden' }), 'Forbidden'),
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
    unauthorized: said(text(401, 'invalid token\n'), 'invalid token'),
    internal: { fault: text(500, `panic: ${LEAK}\n\ngoroutine 1 [running]:\nmain.go:12`) },
    gateway: said(
      json(404, { message: 'no Route matched with those values', request_id: LEAK }),
      'no Route matched with those values',
    ),
  },

  'Rails behind Heroku': {
    rejection: said(json(422, { error: 'The shipment is closed.' }), 'The shipment is closed.'),
    validation: {
      fault: json(422, { errors: { driver_phone_number: ['is no mobile'], base: ['Carrier is suspended'] } }),
      atArguments: { [PHONE]: about('driver_phone_number', 'is no mobile') },
      others: [{ field: 'base', message: 'Carrier is suspended' }],
    },
    notFound: said(json(404, { status: 404, error: 'Not Found' }), 'Not Found'),
    unauthorized: { ...said({ ...text(401, 'HTTP Token: Access denied.\n') }, 'HTTP Token: Access denied.') },
    internal: said(
      json(500, {
        status: 500,
        error: 'Internal Server Error',
        exception: `#<${LEAK}>`,
        traces: { 'Application Trace': [{ trace: LEAK }] },
      }),
      'Internal Server Error',
    ),
    gateway: page(503),
  },

  'NestJS behind Envoy': {
    rejection: said(
      json(400, { statusCode: 400, message: 'The shipment is closed.', error: 'Bad Request' }),
      'The shipment is closed.',
    ),
    validation: said(
      json(400, {
        statusCode: 400,
        message: ['phone must be a mobile', 'scac is unknown'],
        error: 'Bad Request',
      }),
      'phone must be a mobile',
      'scac is unknown',
    ),
    notFound: said(json(404, { statusCode: 404, message: `No such shipment` }), 'No such shipment'),
    unauthorized: said(json(401, { statusCode: 401, message: 'Unauthorized' }), 'Unauthorized'),
    internal: said(json(500, { statusCode: 500, message: 'Internal server error' }), 'Internal server error'),
    gateway: said(text(503, 'no healthy upstream'), 'no healthy upstream'),
  },

  'JSON:API behind Traefik': {
    rejection: said(
      json(409, { errors: [{ id: LEAK, status: '409', title: 'The shipment is closed.' }] }),
      'The shipment is closed.',
    ),
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
              detail: 'It is no mobile.',
            },
            {
              status: '422',
              source: { parameter: 'carrierScac' },
              detail: 'It is unknown.',
              meta: { trace: LEAK },
            },
          ],
        },
        'application/vnd.api+json',
      ),
      atArguments: {
        [PHONE]: about('driver-phone-number', 'It is no mobile.'),
        [SCAC]: about('carrierScac', 'It is unknown.'),
      },
    },
    notFound: said(
      json(404, { errors: [{ status: '404', title: 'No such shipment.' }] }),
      'No such shipment.',
    ),
    unauthorized: said(json(401, { errors: [{ status: '401', title: 'Unauthorized' }] }), 'Unauthorized'),
    internal: said(json(500, { errors: [{ title: 'It broke.', meta: { backtrace: [LEAK] } }] }), 'It broke.'),
    gateway: {
      ...said(text(404, '404 page not found\n'), '404 page not found'),
      code: 'SERVICE_RESPONSE_INVALID',
    },
  },

  'gRPC behind a Google API gateway': {
    rejection: said(
      json(400, { code: 9, message: 'The shipment is closed.', details: [] }),
      'The shipment is closed.',
    ),
    validation: {
      fault: json(400, {
        error: {
          code: 400,
          message: 'Request contains an invalid argument.',
          status: 'INVALID_ARGUMENT',
          details: [
            {
              '@type': LEAK,
              fieldViolations: [{ field: 'driver_phone_number', description: 'It is no mobile.' }],
            },
            { '@type': LEAK, stackEntries: [LEAK] },
          ],
        },
      }),
      atArguments: { [PHONE]: about('driver_phone_number', 'It is no mobile.') },
      others: ['Request contains an invalid argument.'],
    },
    notFound: said(
      json(404, { error: { code: 404, message: 'No such shipment.', status: 'NOT_FOUND' } }),
      'No such shipment.',
    ),
    unauthorized: said(json(401, { code: 16, message: 'Jwt is missing' }), 'Jwt is missing'),
    internal: said(
      json(500, { code: 13, message: 'It broke.', details: [{ '@type': LEAK, stack_entries: [LEAK] }] }),
      'It broke.',
    ),
    gateway: said(text(504, 'upstream request timeout'), 'upstream request timeout'),
  },

  'OData behind Apigee': {
    rejection: said(
      json(400, {
        'odata.error': { code: LEAK, message: { lang: 'en-US', value: 'The shipment is closed.' } },
      }),
      'The shipment is closed.',
    ),
    validation: {
      fault: json(400, {
        error: {
          code: LEAK,
          message: 'Some values are invalid.',
          details: [{ code: LEAK, target: 'FreightHaulerProviderXID', message: 'It is unknown.' }],
          innererror: { message: LEAK, type: LEAK, stacktrace: TRACE },
        },
      }),
      atArguments: { [HAULER]: about('FreightHaulerProviderXID', 'It is unknown.') },
      others: ['Some values are invalid.'],
    },
    notFound: said(json(404, { error: { code: LEAK, message: 'No such shipment.' } }), 'No such shipment.'),
    unauthorized: said(
      json(401, {
        fault: { faultstring: 'Invalid Access Token', detail: { errorcode: `keymanagement.${LEAK}` } },
      }),
      'Invalid Access Token',
    ),
    internal: said(
      json(500, { error: { message: 'It broke.', innererror: { internalexception: { message: LEAK } } } }),
      'It broke.',
    ),
    gateway: said(
      json(429, { fault: { faultstring: 'Rate limit quota violation', detail: { errorcode: LEAK } } }),
      'Rate limit quota violation',
    ),
  },

  'Express with a validator behind a proxy without media types': {
    rejection: said(json(400, '"The shipment is closed."', ''), 'The shipment is closed.'),
    validation: {
      fault: json(
        400,
        '\uFEFF' +
          JSON.stringify({
            errors: [
              {
                type: 'field',
                value: LEAK,
                msg: 'It is no mobile.',
                path: 'DriverPhoneNumber',
                location: 'body',
              },
            ],
          }),
        'application/octet-stream',
      ),
      atArguments: { [PHONE]: about('DriverPhoneNumber', 'It is no mobile.') },
    },
    notFound: said(json(404, { message: 'No such shipment.' }, ''), 'No such shipment.'),
    unauthorized: said(json(401, { err: 'jwt expired' }, 'text/plain; charset=utf-16'), 'jwt expired'),
    internal: said(
      json(500, { message: 'It broke.', stack: `Error: ${LEAK}\n    at track (/${LEAK}.js:1:2)` }),
      'It broke.',
    ),
    gateway: page(502),
  },

  'ASP.NET by its document behind an API manager': {
    rejection: said(
      json(400, { resultCode: '1001', resultText: 'The shipment is closed.' }),
      'The shipment is closed.',
    ),
    validation: {
      fault: json(400, {
        Message: 'The request is invalid.',
        ModelState: {
          'parameters.DriverPhoneNumber(1)': ['It is no mobile.'],
          CarrierSCAC: ['It is unknown.'],
        },
      }),
      atArguments: {
        [PHONE]: about('DriverPhoneNumber', 'It is no mobile.'),
        [SCAC]: about('CarrierSCAC', 'It is unknown.'),
      },
      others: ['The request is invalid.'],
    },
    notFound: said(json(404, { Message: 'No such shipment.' }, 'text/html'), 'No such shipment.'),
    unauthorized: {
      fault: {
        status: 401,
        headers: {
          'www-authenticate':
            'Bearer realm="freight", error="invalid_token", error_description="The token expired"',
        },
      },
      others: ['The token expired'],
    },
    internal: said(
      json(500, {
        ExceptionMessage: 'The shipment is being changed.',
        ExceptionType: LEAK,
        StackTrace: TRACE,
      }),
      'The shipment is being changed.',
    ),
    gateway: said(json(403, { statusCode: 403, message: 'Quota exceeded.' }), 'Quota exceeded.'),
  },

  'Fastify behind a load balancer': {
    rejection: said(
      json(400, { statusCode: 400, error: 'Bad Request', message: 'The shipment is closed.' }),
      'The shipment is closed.',
    ),
    validation: {
      fault: json(400, {
        statusCode: 400,
        code: 'FST_ERR_VALIDATION',
        error: 'Bad Request',
        message: "body/DriverPhoneNumber must match format 'phone'",
      }),
      atArguments: {
        [PHONE]: about('body/DriverPhoneNumber', "body/DriverPhoneNumber must match format 'phone'").map(
          (each) => ({ ...each, field: 'DriverPhoneNumber' }),
        ),
      },
    },
    notFound: said(
      json(404, { statusCode: 404, error: 'Not Found', message: 'No such shipment.' }),
      'No such shipment.',
    ),
    unauthorized: said(
      json(401, { statusCode: 401, error: 'Unauthorized', message: 'jwt expired' }),
      'jwt expired',
    ),
    internal: said(
      json(500, { statusCode: 500, error: 'Internal Server Error', message: 'It broke.' }),
      'It broke.',
    ),
    gateway: page(504),
  },

  'hapi behind a service mesh': {
    rejection: said(
      json(409, { statusCode: 409, error: 'Conflict', message: 'The shipment is closed.' }),
      'The shipment is closed.',
    ),
    validation: {
      fault: json(400, {
        statusCode: 400,
        error: 'Bad Request',
        message: '"DriverPhoneNumber" is not allowed to be empty',
        validation: { source: 'payload', keys: [LEAK] },
      }),
      atArguments: { [PHONE]: about('DriverPhoneNumber', '"DriverPhoneNumber" is not allowed to be empty') },
    },
    notFound: said(
      json(404, { statusCode: 404, error: 'Not Found', message: 'No such shipment.' }),
      'No such shipment.',
    ),
    unauthorized: said(
      json(401, { statusCode: 401, error: 'Unauthorized', message: 'Bad token' }),
      'Bad token',
    ),
    internal: said(json(500, { statusCode: 500, error: 'Internal Server Error' }), 'Internal Server Error'),
    gateway: said(text(503, 'upstream connect error'), 'upstream connect error'),
  },

  'an old servlet that speaks SOAP and nearly JSON': {
    rejection: said(
      json(
        400,
        `<?xml version="1.0"?><s:Envelope><s:Body><s:Fault><faultcode>${LEAK}</faultcode><faultstring>The shipment is closed.</faultstring><detail><stackTrace>${LEAK}</stackTrace></detail></s:Fault></s:Body></s:Envelope>`,
        'text/xml',
      ),
      'The shipment is closed.',
    ),
    validation: {
      fault: json(400, '{"errors":{"DriverPhoneNumber":["It isn\\\'t a mobile.",],},}', 'text/plain'),
      atArguments: { [PHONE]: about('DriverPhoneNumber', "It isn't a mobile.") },
    },
    notFound: {
      ...said(
        json(404, '<error><message>No such shipment.</message></error>', 'application/xml'),
        'No such shipment.',
      ),
      code: 'SERVICE_RESPONSE_INVALID',
    },
    unauthorized: said(
      json(401, '<problem><detail>Sign in again.</detail></problem>', 'application/problem+xml'),
      'Sign in again.',
    ),
    internal: page(500),
    gateway: page(404),
  },
};
