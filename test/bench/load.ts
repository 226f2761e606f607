/**
 * Callers of a gateway, over as many connections. They write prepared bytes and read as little of an answer as they can,
 * so that they take little of the core that they share with the REST service.
 */
import { connect, type Socket } from 'node:net';

export interface LoadOptions {
  port: number;
  connections: number;
  /** Whole HTTP requests, sent one after the other, and again from the first. */
  requests: readonly Buffer[];
  /** What each answer has to be: 200, with a body of so many bytes. */
  bodyBytes: number;
  seconds: number;
  /** Requests come at this rate, whether or not answers do; without it, each caller waits for its answer. */
  perSecond?: number;
}

export interface LoadResult {
  answers: number;
  seconds: number;
  /** Sorted. From the moment at which a request was due. */
  latenciesMs: number[];
}

const PATIENCE_MS = 10_000;

/** Ends when every request that was sent is answered; throws at the first wrong answer. */
export async function runLoad(options: LoadOptions): Promise<LoadResult> {
  const latenciesMs: number[] = [];
  let sent = 0;
  const nextRequest = () => options.requests[sent++ % options.requests.length] as Buffer;

  const callers = await Promise.all(Array.from({ length: options.connections }, () => openCaller(options)));
  const closeAll = () => {
    for (const caller of callers) caller.close();
  };
  const startedAt = performance.now();
  const endsAt = startedAt + options.seconds * 1000;
  const call = async (caller: Caller, dueAt: number) => {
    await caller.send(nextRequest());
    latenciesMs.push(performance.now() - dueAt);
  };
  const patience = setTimeout(closeAll, options.seconds * 1000 + PATIENCE_MS);
  try {
    if (options.perSecond === undefined) {
      await Promise.all(callers.map((caller) => callInTurn(caller, call, endsAt)));
    } else {
      await callAtRate(callers, call, { ratePerMs: options.perSecond / 1000, startedAt, endsAt });
    }
  } finally {
    clearTimeout(patience);
    closeAll();
  }
  const seconds = (performance.now() - startedAt) / 1000;
  return { answers: latenciesMs.length, seconds, latenciesMs: latenciesMs.sort((a, b) => a - b) };
}

export function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;
}

type Call = (caller: Caller, dueAt: number) => Promise<void>;

async function callInTurn(caller: Caller, call: Call, endsAt: number): Promise<void> {
  for (let now = performance.now(); now < endsAt; now = performance.now()) await call(caller, now);
}

/** Each millisecond sends what is due; what finds no free connection waits for one, and its time runs on. */
async function callAtRate(
  callers: readonly Caller[],
  call: Call,
  { ratePerMs, startedAt, endsAt }: { ratePerMs: number; startedAt: number; endsAt: number },
): Promise<void> {
  const free = [...callers];
  const waiting: number[] = [];
  const calls: Promise<void>[] = [];
  const sendWaiting = () => {
    while (waiting.length > 0 && free.length > 0) {
      const caller = free.pop() as Caller;
      const dueAt = waiting.shift() as number;
      calls.push(
        call(caller, dueAt).then(() => {
          free.push(caller);
          sendWaiting();
        }),
      );
    }
  };
  let due = 0;
  await new Promise<void>((resolve) => {
    const timer = setInterval(() => {
      const now = performance.now();
      for (; startedAt + due / ratePerMs < Math.min(now, endsAt); due += 1)
        waiting.push(startedAt + due / ratePerMs);
      sendWaiting();
      if (now < endsAt) return;
      clearInterval(timer);
      resolve();
    }, 1);
  });
  while (waiting.length > 0) await Promise.all(calls);
  await Promise.all(calls);
}

interface Caller {
  /** Sends a request, and waits for the right answer. */
  send(request: Buffer): Promise<void>;
  close(): void;
}

async function openCaller({ port, bodyBytes }: LoadOptions): Promise<Caller> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  await new Promise((resolve, reject) => socket.once('connect', resolve).once('error', reject));
  let settle: { resolve: () => void; reject: (error: Error) => void } | undefined;
  readAnswers(socket, {
    onAnswer(status, length) {
      if (status === 200 && length === bodyBytes) settle?.resolve();
      else settle?.reject(new Error(`Expected 200 with ${bodyBytes} bytes, got ${status} with ${length}`));
    },
    onEnd(error) {
      settle?.reject(error ?? new Error('Expected an answer, got the end of the connection'));
    },
  });
  return {
    send: (request) =>
      new Promise((resolve, reject) => {
        settle = { resolve, reject };
        socket.write(request);
      }),
    close: () => socket.destroy(),
  };
}

interface AnswerListener {
  onAnswer: (status: number, bodyBytes: number) => void;
  onEnd: (error?: Error) => void;
}

/** Reads HTTP/1.1 answers that tell their length and come one at a time. */
function readAnswers(socket: Socket, { onAnswer, onEnd }: AnswerListener): void {
  let head = '';
  let status = 0;
  let length = 0;
  let missing = 0;
  socket.on('data', (chunk) => {
    if (missing === 0) {
      const text = head + chunk.toString('latin1');
      const headEnd = text.indexOf('\r\n\r\n');
      if (headEnd < 0) {
        head = text;
        return;
      }
      status = Number(text.slice(9, 12));
      length = Number(/\r\ncontent-length: (\d+)/i.exec(text.slice(0, headEnd + 2))?.[1] ?? NaN);
      if (Number.isNaN(length)) {
        onEnd(new Error('Expected an answer with a content-length'));
        return;
      }
      missing = headEnd + 4 + length - text.length;
      head = '';
    } else {
      missing -= chunk.length;
    }
    if (missing <= 0) {
      missing = 0;
      onAnswer(status, length);
    }
  });
  socket.once('error', onEnd).once('close', () => {
    onEnd();
  });
}
