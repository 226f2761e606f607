import {
  contract,
  dereferenced,
  type Operation,
  type Parameter,
  type PathItem,
  schemaViolations,
} from './contract.js';

/** A request as the mock records it. */
export interface RecordedCall {
  method: string;
  path: string;
  query: string;
  headers: Record<string, string | string[] | undefined>;
  body: string;
}

/** Fails if a request violates the contract. */
export function assertContract(calls: readonly RecordedCall[]): void {
  const violations = calls.flatMap(contractViolations);
  if (violations.length > 0) throw new Error(`REST calls violated the contract:\n${violations.join('\n')}`);
}

/**
 * The violations of the contract in a request. They are found by the contract's text rather than by the service's code,
 * so that a bug in the service cannot hide one in the gateway.
 */
export function contractViolations(call: RecordedCall): string[] {
  const match = matchPath(call.path);
  if (!match) return [`path: expected one of ${Object.keys(contract.paths).join(' ')}, got ${call.path}`];

  const method = call.method.toLowerCase() as 'get' | 'post' | 'put' | 'delete';
  const operation = match.item[method];
  if (!operation) return [`method: ${match.template} has no ${call.method}`];

  return [
    ...match.violations,
    ...queryViolations(call, operation),
    ...authorizationViolations(call, operation),
    ...(operation.requestBody ? bodyViolations(call, match.template, method) : unexpectedBody(call)),
  ];
}

/** The violations of the contract in a response to a request whose path and method it describes. */
export function responseViolations(
  { method, path }: Pick<RecordedCall, 'method' | 'path'>,
  { status, body }: { status: number; body: unknown },
): string[] {
  const match = matchPath(path);
  const name = method.toLowerCase() as 'get' | 'post' | 'put' | 'delete';
  const responses = match?.item[name]?.responses;
  if (!match || !responses) return [`expected an operation, got ${method} ${path}`];
  const key = [String(status), `${String(status)[0]}XX`, 'default'].find((each) => each in responses);
  const response = key === undefined ? undefined : responses[key];
  if (key === undefined || response === undefined) return [`status: ${status} is not described`];
  const pointer =
    '$ref' in response ? pointerTo(response) : ['paths', match.template, name, 'responses', key];
  if (!('content' in dereferenced(response)))
    return body === undefined ? [] : ['body: expected none, got some'];
  return schemaViolations(body, ...pointer, 'content', 'application/json', 'schema');
}

function matchPath(path: string): { template: string; item: PathItem; violations: string[] } | undefined {
  const segments = path.split('/');
  for (const [template, item] of Object.entries(contract.paths)) {
    const expected = template.split('/');
    if (expected.length !== segments.length) continue;
    if (!expected.every((each, index) => isParameter(each) || each === segments[index])) continue;
    const violations = expected.flatMap((each, index) =>
      isParameter(each) ? segmentViolations(item, each.slice(1, -1), segments[index] ?? '') : [],
    );
    return { template, item, violations };
  }
  return undefined;
}

function isParameter(segment: string): boolean {
  return segment.startsWith('{') && segment.endsWith('}');
}

function segmentViolations(item: PathItem, name: string, segment: string): string[] {
  let value: string;
  try {
    value = decodeURIComponent(segment);
  } catch {
    return [`path: ${name} is not percent-encoded: ${segment}`];
  }
  // Normalizing a path removes such a segment, encoded or not (RFC 3986 §5.2.4).
  if (value === '.' || value === '..') return [`path: ${name} is the dot segment ${segment}`];
  if (!/^(?:[\w.~!$&'()*+,;=:@-]|%[\dA-F]{2})*$/i.test(segment))
    return [`path: ${name} has raw characters: ${segment}`];

  const index = (item.parameters ?? []).findIndex((each) => (dereferenced(each) as Parameter).name === name);
  const parameter = item.parameters?.[index];
  if (!parameter) return [`path: the contract does not describe ${name}`];
  return schemaViolations(value, ...pointerTo(parameter), 'schema').map((each) => `path: ${name} ${each}`);
}

function pointerTo(parameter: object): string[] {
  if ('$ref' in parameter && typeof parameter.$ref === 'string') return parameter.$ref.split('/').slice(1);
  throw new Error('Expected the contract to name its parameters and responses under components.');
}

function queryViolations(call: RecordedCall, operation: Operation): string[] {
  const isDocumented = operation.parameters?.some((each) => (dereferenced(each) as Parameter).in === 'query');
  return call.query === '' || isDocumented ? [] : [`query: expected none, got ${call.query}`];
}

/** RFC 6750 §2.1 */
function authorizationViolations(call: RecordedCall, operation: Operation): string[] {
  if (!operation.security?.length) return [];
  const value = call.headers['authorization'];
  if (typeof value === 'string' && /^Bearer [!-+\--~]+$/.test(value)) return [];
  return [`authorization: expected one bearer token, got ${value === undefined ? 'none' : 'something else'}`];
}

function bodyViolations(call: RecordedCall, template: string, method: string): string[] {
  if (call.body === '') return ['body: expected JSON, got none'];
  const type = call.headers['content-type'];
  const typeViolations =
    typeof type === 'string' && /^application\/json(?:\s*;.*)?$/i.test(type)
      ? []
      : [`content-type: expected application/json, got ${String(type)}`];
  let body: unknown;
  try {
    body = JSON.parse(call.body);
  } catch {
    return [...typeViolations, 'body: expected JSON, got something else'];
  }
  const pointer = ['paths', template, method, 'requestBody', 'content', 'application/json', 'schema'];
  return [...typeViolations, ...schemaViolations(body, ...pointer).map((each) => `body: ${each}`)];
}

function unexpectedBody(call: RecordedCall): string[] {
  const type = call.headers['content-type'];
  return [
    ...(call.body === '' ? [] : [`body: expected none, got ${call.body.length} characters`]),
    ...(type === undefined
      ? []
      : [`content-type: expected none where there is no body, got ${String(type)}`]),
  ];
}
