/** The freight service as fields use it: calls of its operations, and writes whose effect is made certain. */
import { createEndpoint, type EndpointOptions, type MakeCall } from './endpoint.js';
import { createIdempotency, type IdempotencyOptions } from './idempotency/idempotency.js';
import {
  operations,
  originsOf,
  readCurrent,
  type NotificationKey,
  type RestOperation,
} from './operations.js';
import {
  createWriteSender,
  type ReadBackObserver,
  type Write,
  type WriteRequest,
  type WriteSenderOptions,
} from './write.js';
import { createWrites, type PathProof, type ReadNotification, type Writes } from './writes.js';

export interface ServiceOptions extends EndpointOptions, Pick<WriteSenderOptions, 'readBackTimeoutMs'> {
  /** Timeout in milliseconds of a write together with the reads before and after it; a read-back comes on top. */
  timeoutMs: number;
  idempotency: Pick<IdempotencyOptions, 'retentionMs' | 'store'>;
  observer: IdempotencyOptions['observer'] & ReadBackObserver;
}

export interface Service {
  call: MakeCall;
  readNotification: ReadNotification;
  writes: Writes;
  /** Sends a write, at most once if the request has an idempotency key. */
  send: <Result>(write: Write<Result>, request: WriteRequest) => Promise<Result>;
  /** Resolves once the outcomes of all writes with idempotency keys are recorded. */
  settled(): Promise<void>;
}

export function createService(options: ServiceOptions): Service {
  const { timeoutMs, observer } = options;
  const call = createEndpoint(options);
  const pathProof: PathProof = { isGiven: false };
  const reader =
    <Record>(operation: RestOperation<NotificationKey, Record | null>): ReadNotification<Record> =>
    async (notificationGuid, client, deadline) => {
      const notification = await call(operation, { notificationGuid }, client, { deadline });
      if (notification !== null) pathProof.isGiven = true;
      return notification;
    };
  const readNotification = reader(operations.readNotification);
  const sender = createWriteSender(options);
  const idempotentWrites = createIdempotency({
    ...options.idempotency,
    origins: originsOf(options.settings),
    observer,
    sender,
  });
  return {
    call,
    readNotification,
    writes: createWrites({
      call,
      readNotification,
      readCurrent: reader(readCurrent),
      pathProof,
      timeoutMs,
    }),
    send: (write, request) =>
      request.idempotency === undefined || request.client.isDryRun
        ? sender.send(write, request)
        : idempotentWrites.sendOnce(write, request, request.idempotency),
    settled: () => idempotentWrites.settled(),
  };
}
