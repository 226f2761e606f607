/** Runs the commands of docs/first-hour.md that ask a service what only writes show, against mocks of different habits. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { startMockService, type Habits } from '../../src/mock/mockService.js';
import { minimalEnv } from '../support/process/minimalEnv.js';
import { reasonToSkip, skipIf } from '../support/process/requirements.js';
import { forTest } from '../support/tools/useStarted.js';
import { codeBlocks } from './support/markdown.js';

skipIf(reasonToSkip('curl'));

const shell = promisify(execFile);
const commands = codeBlocks('docs/first-hour.md').filter(({ text }) => /curl .*\$SERVICE_URL/.test(text));
const [TRACKING, EXCEPTION, DIGITS, ANONYMOUS, PLATE, STOP_LEVEL] = commands.map(({ text }) => text);

/** What the command prints of a service with these habits, and the calls that have arrived. */
async function run(command = '', habits: Habits = {}) {
  const service = await forTest(startMockService({ habits }));
  const env = { ...minimalEnv, SERVICE_URL: service.url, TOKEN: 'any' };
  const { stdout } = await shell('sh', ['-ec', command], { env });
  return { stdout, calls: service.calls };
}

test('There is a command for each question', () => {
  expect(commands).toHaveLength(6);
  expect(STOP_LEVEL).toContain('/v1/customnotifications"');
});

test.each(commands.filter(({ next }) => next?.language === 'text'))(
  'A service with the habits of the contract responds as the page shows: line $line',
  async ({ text, next }) => {
    expect((await run(text)).stdout).toBe(next?.text);
  },
);

test('The response shows that a tracking call or a deletion is read from the query', async () => {
  const habits = { parametersInQuery: true };
  expect((await run(TRACKING, habits)).stdout).toBe(
    '{"messages":[{"message":"There is no shipment with these identifiers."}]} 404\n',
  );
  expect((await run(EXCEPTION, habits)).stdout).toBe(
    '{"messages":[{"message":"The shipment has no such exception or exception file."}]} 404\n',
  );
});

test('The response shows that phone numbers have to be digits', async () => {
  const habits = { hasDigitsAlone: true };
  expect((await run(TRACKING, habits)).stdout).toBe(
    '{"messages":[{"field":"DriverPhoneNumber","message":"must be digits"}]} 400\n',
  );
  expect((await run(DIGITS, habits)).stdout).toBe('true 200\n');
});

test('The response shows which spelling of stop level is accepted', async () => {
  expect((await run(STOP_LEVEL)).stdout).toMatch(
    /^\{"data":\[\{"notificationGuid":".*"totalPossibleCount":1\} 200\n$/,
  );
  expect((await run(STOP_LEVEL, { stopLevel: 'stoplevel' })).stdout).toBe(
    '{"messages":[{"message":"must be stoplevel or shipmentLevel"}]} 400\n',
  );
  const other = STOP_LEVEL?.replace('"stopLevel"', '"stoplevel"');
  expect((await run(other, { stopLevel: 'stoplevel' })).stdout).toMatch(/ 200\n$/);
});

test('Only the command that asks about the token leaves it out', async () => {
  const tokens = await Promise.all(
    [TRACKING, ANONYMOUS, PLATE].map(async (each) => (await run(each)).calls[0]?.headers.authorization),
  );
  expect(tokens).toEqual(['Bearer any', undefined, 'Bearer any']);
});
