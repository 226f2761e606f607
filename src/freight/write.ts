/** What a mutation field asks for, apart from how its effect is made certain. */
import type { RequestClient } from './endpoint.js';

export const mutationFields = [
  'createNotification',
  'deleteException',
  'deleteNotification',
  'trackShipment',
  'updateNotification',
] as const;
export type MutationField = (typeof mutationFields)[number];

/** How a write is sent, and how its effect can be found out afterwards. */
export interface Write<Result> {
  /** Sends the REST calls. */
  send(): Promise<Result>;
  /** Whether the method of its REST call is idempotent (RFC 9110 section 9.2.2), so that it may be sent again. */
  readonly isIdempotent: boolean;
  /** What a repeat needs to know of the result; undefined for nothing. */
  guidOf?(result: Result): string;
  /** The result for a repeat of a write that was applied, from the state that the service has by now. */
  replay(client: RequestClient, notificationGuid: string | undefined): Promise<Result>;
  /**
   * Reads after a write of unknown outcome. Resolves with the result if the service has the state that the write asks for,
   * and with undefined if it has not, or that cannot be told. Never rejects with a ServiceError. Absent where nothing can be
   * read. Once `send` has sent a PUT, its body is compared; before, as in another process, only the changes are.
   */
  readBack?(client: RequestClient): Promise<Result | undefined>;
  /**
   * Identifiers of the notifications that the write may have created within the last `sinceMs` milliseconds; undefined if
   * that cannot be told. Never rejects with a ServiceError. Only that of createNotification has it.
   */
  findCandidates?(client: RequestClient, sinceMs: number): Promise<string[] | undefined>;
}

/** A mutation field of a request. */
export interface WriteRequest {
  readonly client: RequestClient;
  readonly field: MutationField;
  /** Key of the field in the response, its alias if it has one. */
  readonly responseKey: string;
  /** Of a field with an idempotency key. */
  readonly idempotency: Idempotency | undefined;
}

export interface Idempotency {
  readonly key: string;
  /** The other arguments of the field, as coerced by GraphQL. */
  readonly args: object;
}
