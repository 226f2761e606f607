import { expect, test } from 'vitest';
import { ErrorCode, InputRule, isGatewayError } from '../../src/errors.js';
import { useGateway } from '../support/gateway/gateway.js';
const gateway = useGateway();

test('recognizes the errors of the gateway and tells their rule', async () => {
  const { errors } = await gateway.execute('{ notification(notificationGuid: " ") { filters } }');
  const rules = errors?.map(
    (error) => isGatewayError(error) && [error.extensions.code, error.extensions.rule],
  );
  expect(rules).toEqual([[ErrorCode.BadUserInput, InputRule.NotEmpty]]);
});

test.each<[what: string, error: unknown]>([
  ['nothing', undefined],
  ['an error without extensions', { message: 'Bad gateway' }],
  ['an error without a code', { extensions: { retryable: false, requestId: 'a' } }],
  ['an error that may or may not be retryable', { extensions: { code: 'NOT_FOUND', requestId: 'a' } }],
])('does not take %s for an error of the gateway', (_what, error) => {
  expect(isGatewayError(error)).toBe(false);
});

test('recognizes an error whose code it does not know, as newer gateways add some', () => {
  expect(isGatewayError({ extensions: { code: 'ADDED_LATER', retryable: true } })).toBe(true);
});

test('names each code in the spelling of TypeScript', () => {
  const toPascalCase = (code: string) =>
    code.toLowerCase().replace(/(?:^|_)([a-z])/g, (_start, letter: string) => letter.toUpperCase());
  expect(Object.keys(ErrorCode)).toEqual(Object.values(ErrorCode).map(toPascalCase));
});
