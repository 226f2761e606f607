/** Reading an answer of the REST service: status, content type, size, JSON, shape, in that order. */
import { isUtf8 } from 'node:buffer';
import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate } from 'node:zlib';
import type { z } from 'zod';
import { MessagesEnvelope } from '../contract.js';
import { ServiceFailureError, InvalidResponseError, RejectedError, type ServiceError } from './errors.js';
import type { RestResponse } from './exchange.js';

/** Content codings that are read (RFC 9110 section 8.4.1), as the Accept-Encoding header names them. */
export const ACCEPTED_CODINGS = 'gzip, deflate, br';

const decoders = {
  br: promisify(brotliDecompress),
  deflate: promisify(inflate),
  gzip: promisify(gunzip),
  'x-gzip': promisify(gunzip),
};

export function isSuccess({ status }: RestResponse): boolean {
  return status >= 200 && status < 300;
}

/** The ServiceError that an answer without a 2xx status stands for. */
export async function errorFromResponse(response: RestResponse, maxBytes: number): Promise<ServiceError> {
  const { status } = response;
  if (status < 400) return new InvalidResponseError('The service responded with a redirect', { status });
  const details = {
    status,
    retryAfterSeconds: retryAfterSeconds(headerOf(response, 'retry-after')),
    serviceMessages: await messagesOf(response, maxBytes),
  };
  return status < 500
    ? new RejectedError('The service rejected the request', details)
    : new ServiceFailureError('The service failed to process the request', details);
}

/** The JSON value of an answer; undefined when its body is empty. A byte order mark is ignored (RFC 8259 section 8.1). */
export async function readJson(response: RestResponse, maxBytes: number): Promise<unknown> {
  const { status, body } = response;
  if (body.length === 0) return undefined;
  if (!isJson(headerOf(response, 'content-type'))) {
    throw new InvalidResponseError('The response is not of type application/json', { status });
  }
  const coding = contentEncodingOf(response);
  const bytes = coding === 'identity' ? body : await decode(response, coding, maxBytes);
  const text = isUtf8(bytes) ? stripBom(bytes.toString('utf8')) : undefined;
  try {
    if (text !== undefined) return JSON.parse(text) as unknown;
  } catch {
    // No cause: the parser's own message quotes the body.
    if (text?.trim() === '') return undefined;
  }
  throw response.hasFraming
    ? new InvalidResponseError('The response is not JSON', { status })
    : truncatedBodyError();
}

/** Text without a byte order mark. */
function stripBom(text: string): string {
  return text.startsWith('\uFEFF') ? text.slice(1) : text;
}

/** The value in the shape that the contract asks for. A mismatch is reported by place and expectation, without values. */
export function parseBody<T>(schema: z.ZodType<T>, value: unknown, status: number): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const problems = result.error.issues.map(({ path, message }) => `${toJsonPointer(path)}: ${message}`);
  throw new InvalidResponseError(
    `The response does not match the contract: ${problems.slice(0, 5).join('; ')}`,
    {
      status,
    },
  );
}

/** The service's messages in an answer that needs no particular body; undefined where there are none. */
export async function messagesOf(response: RestResponse, maxBytes: number): Promise<unknown[] | undefined> {
  try {
    const result = MessagesEnvelope.safeParse(await readJson(response, maxBytes));
    return result.success && result.data.messages.length > 0 ? result.data.messages : undefined;
  } catch {
    return undefined;
  }
}

function isJson(contentType: string | undefined): boolean {
  return /^(?:application|text)\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i.test(contentType ?? '');
}

function contentEncodingOf(response: RestResponse): string {
  return headerOf(response, 'content-encoding')?.trim().toLowerCase() || 'identity';
}

async function decode(response: RestResponse, coding: string, maxOutputLength: number): Promise<Buffer> {
  const { status, body, hasFraming } = response;
  if (!Object.hasOwn(decoders, coding))
    throw new InvalidResponseError('The response has an unsupported content encoding', { status });
  try {
    return await decoders[coding as keyof typeof decoders](body, { maxOutputLength });
  } catch (cause) {
    if (!hasFraming && (cause as NodeJS.ErrnoException).code === 'Z_BUF_ERROR') throw truncatedBodyError();
    throw new InvalidResponseError('The response cannot be decompressed or is too large', { status, cause });
  }
}

function truncatedBodyError(): ServiceFailureError {
  return new ServiceFailureError('The connection to the service was lost during the response');
}

/** A header; of a repeated one the first. */
function headerOf({ headers }: RestResponse, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value[0] : value;
}

/** Seconds from a Retry-After header, which holds seconds or a date (RFC 9110 section 10.2.3). */
function retryAfterSeconds(header: string | undefined): number | undefined {
  if (header === undefined) return undefined;
  if (/^\d{1,9}$/.test(header)) return Number(header);
  if (!/^[A-Z][a-z]{2,8},? /.test(header)) return undefined;
  const dateMs = Date.parse(header.endsWith('GMT') ? header : `${header} GMT`);
  return Number.isNaN(dateMs) ? undefined : Math.max(0, Math.ceil((dateMs - Date.now()) / 1000));
}

/** RFC 6901. */
function toJsonPointer(path: PropertyKey[]): string {
  return (
    path.map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('') ||
    'the whole body'
  );
}
