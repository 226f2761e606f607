/** The path and query of every REST call have at most 8,192 bytes, with base path and fixed parameters, as they are sent. */
import { createServer } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startInProcessGateway, type InProcessGateway } from '../support/gateway/inProcessGateway.js';
import { post } from '../support/http/post.js';
import { serve } from '../support/http/serve.js';
import {
  asLiterals,
  asVariables,
  shipmentFields,
  validArguments,
  withInvalidValue,
  type FieldName,
} from '../support/graphql/rootFields.js';
import { parametersInQuery } from '../support/graphql/shipmentOperations.js';
import { pathOf } from '../support/graphql/violations.js';

const BASE = `/${'b'.repeat(1000)}`;
const PATH_OF_MAX_LENGTH = `/${'p'.repeat(1023 - 2 * '/{notificationGuid}'.length)}/{notificationGuid}/{notificationGuid}`;

let gateway: InProcessGateway;
/** The request targets that the service received. */
const targets: string[] = [];

beforeAll(async () => {
  const server = createServer(({ url = '', method }, response) => {
    targets.push(url);
    const listing = { data: [], messages: [], totalPossibleCount: 0 };
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(method === 'POST' ? true : listing));
  });
  const service = await serve(server);
  gateway = await startInProcessGateway(service, {
    env: {
      SERVICE_URL: `${service.url}${BASE}/`,
      NOTIFICATION_PATH: PATH_OF_MAX_LENGTH,
      ...parametersInQuery,
      LICENSE_PLATE_PARAMETER: 'AcmeLicensePlate',
      SHIPMENT_PARAMETERS: JSON.stringify({ ApiKey: 'é'.repeat(100) }),
    },
  });
});
afterAll(() => gateway.stop());

async function execute(operation: object) {
  targets.length = 0;
  const { errors } = await post(gateway.url, operation);
  const shown = errors?.map(({ message, extensions: { code, inputPath } }) => [code, inputPath, message]);
  return { errors: shown, lengths: targets.map(({ length }) => length) };
}

describe.each<[field: FieldName, place: string, inputPath: string]>([
  ['notifications', 'additionalParameters', 'additionalParameters'],
  ...shipmentFields.map((field): [FieldName, string, string] => [
    field,
    'input.additionalParameters',
    'input',
  ]),
])('%s', (field, place, inputPath) => {
  const operation = (filler: string, toOperation = asVariables) =>
    toOperation(field, withInvalidValue(field, place, { filler }));
  /** Characters, two of which need encoding, that make the path and query that many bytes long. */
  const fillerFor = async (bytes: number) => {
    const [length = 0] = (await execute(operation('é/'))).lengths;
    return `é/${'x'.repeat(bytes - length)}`;
  };

  test('sends a path and query of 8,192 bytes', async () => {
    expect(await execute(operation(await fillerFor(8192)))).toEqual({ errors: undefined, lengths: [8192] });
  });

  test.each([
    [8193, asVariables],
    [8193, asLiterals],
    [200_000, asVariables],
  ])('rejects one of %d bytes before the call', async (bytes, toOperation) => {
    expect(await execute(operation(await fillerFor(bytes), toOperation))).toEqual({
      errors: [
        [
          'BAD_USER_INPUT',
          pathOf(inputPath),
          `expected parameters for a path and query of at most 8192 bytes, got ${bytes}`,
        ],
      ],
      lengths: [],
    });
  });
});

test('sends the longest identifier in the longest path of the configuration', async () => {
  const notificationGuid = '€'.repeat(256);
  const { lengths } = await execute(asVariables('deleteNotification', { notificationGuid }));
  const template = PATH_OF_MAX_LENGTH.replaceAll('{notificationGuid}', '').length;
  expect(lengths).toEqual([BASE.length + template + 2 * 9 * 256]);
  expect(lengths[0]).toBeLessThanOrEqual(8192);
});

test.each(['exceptionGuid', 'exceptionFileGuid'])('rejects an %s of 257 characters', async (name) => {
  const target = (length: number) => {
    const { input } = validArguments('deleteException') as { input: object };
    return asVariables('deleteException', { input: { ...input, target: { [name]: 'x'.repeat(length) } } });
  };
  expect(await execute(target(256))).toMatchObject({ errors: undefined, lengths: [expect.any(Number)] });
  const inputPath = ['input', 'target', name];
  expect(await execute(target(257))).toEqual({
    errors: [
      [
        'BAD_USER_INPUT',
        inputPath,
        `expected an identifier of at most 256 characters, got "${'x'.repeat(99)}…`,
      ],
    ],
    lengths: [],
  });
});
