import type { Envelope } from '../../../src/mock/notifications.js';
import { contract, dereferenced, type Operation } from './contract.js';

/** A request or response body in the contract. */
interface Body {
  content: { 'application/json': { examples: Record<string, { value: unknown }> } };
}

/** A request body from the contract's examples. */
export function requestExample(operationId: string, name: string): Record<string, unknown> {
  return exampleOf(operationNamed(operationId).requestBody, name) as Record<string, unknown>;
}

/** A response body from the contract's examples. */
export function responseExample(operationId: string, status: string, name: string): unknown {
  return exampleOf(operationNamed(operationId).responses[status], name);
}

/** The contract's example response with one notification. */
export function oneNotification(name: 'shipmentLevel' | 'stopLevel') {
  const { data, ...rest } = responseExample('readNotification', '200', name) as Envelope;
  const [notification] = data;
  if (notification === undefined) throw new Error(`Expected the example ${name} to hold a notification`);
  return { notification, envelope: { data: [notification], ...rest } };
}

function operationNamed(operationId: string): Operation {
  const operations = Object.values(contract.paths).flatMap(({ get, post, put, delete: remove }) =>
    [get, post, put, remove].filter((each) => each !== undefined),
  );
  const operation = operations.find((each) => each.operationId === operationId);
  if (operation === undefined) throw new Error(`Expected an operation ${operationId} in the contract`);
  return operation;
}

function exampleOf(body: object | undefined, name: string): unknown {
  const { content } = dereferenced(body ?? {}) as Body;
  const example = content['application/json'].examples[name];
  if (example === undefined) throw new Error(`Expected an example ${name} in the contract`);
  return structuredClone(example.value);
}
