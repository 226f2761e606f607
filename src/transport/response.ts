/** Reads a response of the service: status, content type, encoding, size, JSON, shape, in that order. */
import { isUtf8 } from 'node:buffer';
import type { Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib';
import { challengeDescription } from '../domain/parameters.js';
import type { ResponseMemory } from './largeResponses.js';
import { failureOfStatus, GatewayError, type ServiceMessage } from '../gatewayError.js';

/** Names in lower case; a repeated header is an array. */
export type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** The content of a body, whatever its media type: a text, which may be that of a JSON value. */
export interface Content {
  readonly text: string;
  /** Missing if the text is not JSON. */
  readonly json?: unknown;
}

/** Extracts the service's messages from the body of a rejected or invalid response, without secrets; undefined if it has none. */
export type MessagesOf = (content: Content, status: number) => readonly ServiceMessage[] | undefined;

export interface ReadOptions {
  /** Maximum size of the body in bytes, decompressed. */
  maxResponseBytes: number;
  /** A large body waits for the turn of its request. */
  memory: ResponseMemory;
  messagesOf: MessagesOf;
}

/** A response to a call. Its body is decoded if it is encoded, and then read at most once. */
export class RestResponse {
  /** A violation that was reported although a result is returned. */
  violation: GatewayError | undefined;
  /** False if the body ended with the connection (RFC 9112 §6.3), which makes truncation undetectable. */
  readonly hasFraming: boolean;
  private parsed: { isText: boolean; content: Content | undefined } | undefined;

  constructor(
    readonly status: number,
    readonly headers: Headers,
    private body: Buffer,
    /** When the call was sent, on the clock of performance.now(). */
    readonly sentAt: number,
    private readonly options: ReadOptions,
    /** False if the body of a 3xx or 4xx was lost, late or too large. It is empty then. */
    readonly isComplete = true,
  ) {
    this.hasFraming = 'content-length' in headers || 'transfer-encoding' in headers || body.length === 0;
  }

  get bytes(): number {
    return this.body.length;
  }

  /** Does nothing if the body is text despite its Content-Encoding: the header is wrong. */
  async decode(): Promise<void> {
    const { body, options } = this;
    const coding = codingOf(this);
    if (body.length === 0 || coding === undefined) return;
    try {
      const decoder = decoders[coding];
      if (!decoder) throw invalid('The response has an unsupported content encoding', this);
      this.body = await decompress(body, decoder(body), options);
    } catch (cause) {
      if (isUtf8(body)) return;
      this.parsed = { isText: false, content: undefined };
      if (cause instanceof GatewayError) throw cause;
      const { code } = cause as NodeJS.ErrnoException;
      if (!this.hasFraming && code === 'Z_BUF_ERROR') throw new GatewayError('connectionLost');
      throw invalid('The response cannot be decompressed or is too large', this, cause);
    }
  }

  /** The content of the body; undefined if it is empty. Throws if it is markup, whatever its media type, or JSON that may have been truncated. */
  content(): Content | undefined {
    const { isText, content } = this.read();
    if (!isText) throw this.notJson();
    if (content === undefined || 'json' in content) return content;
    if (content.text.startsWith('<'))
      throw invalid(`The response is ${content.text.startsWith('<?xml') ? 'XML' : 'HTML'}`, this);
    if (!this.hasFraming && isJson(this)) throw this.notJson();
    return content;
  }

  /** The JSON value of the body; undefined if it is empty. Throws a GatewayError if it is not JSON. */
  json(): unknown {
    const content = this.content();
    if (content !== undefined && !('json' in content)) throw this.notJson();
    return content?.json;
  }

  /** Reports a violation although a result is returned; only the last one counts. Returns it with the messages of the service. */
  reportViolation(violation: GatewayError): GatewayError {
    return (this.violation = this.withMessages(violation));
  }

  /** Adds the service's messages, if the body has any. */
  withMessages(error: GatewayError): GatewayError {
    const { content } = this.read();
    if (error.serviceMessages !== undefined || content === undefined) return error;
    return error.with({ serviceMessages: this.options.messagesOf(content, this.status) });
  }

  /** The GatewayError for a response without a 2xx status. */
  async error(): Promise<GatewayError> {
    const { status } = this;
    const failure = failureOfStatus(status);
    if (status < 400) return new GatewayError(failure, { status });
    // An error response needs no particular body: an unreadable one must not hide its status, unless that alone proves nothing.
    await this.decode().catch(() => undefined);
    const { isText, content } = this.read();
    // A body may say nothing of why a token was rejected (RFC 6750 §3).
    const text = challengeDescription(this.headers['www-authenticate']);
    const said = content ?? (text === undefined ? undefined : { text });
    const serviceMessages = said && this.options.messagesOf(said, status);
    const details = { status, retryAfterSeconds: retryAfterSeconds(this), serviceMessages };
    if (!isText || !this.isComplete || !mayBeOfService(content, this)) {
      // What was deleted on purpose is gone, whatever the page about it (RFC 9110 §15.5.11).
      if (failure !== 'notFound' || status === 410) return new GatewayError(failure, details);
      const message = this.isComplete ? undefined : 'The 404 response is incomplete';
      return new GatewayError('foreignNotFound', { ...details, message });
    }
    const form = { mediaType: mediaTypeOf(this), isEmpty: content === undefined };
    return new GatewayError(failure, { ...details, form });
  }

  /** Without framing, what begins as JSON may have been cut off. */
  private notJson(): GatewayError {
    const { text = '' } = this.read().content ?? {};
    const isBegun =
      /^[[{"\d-]/.test(text) ||
      (text !== '' && ['true', 'false', 'null'].some((literal) => literal.startsWith(text)));
    const isCut = !this.hasFraming && isJson(this) && isBegun;
    return isCut ? new GatewayError('connectionLost') : invalid('The response is not JSON', this);
  }

  private read() {
    if (this.parsed) return this.parsed;
    const text = textOf(this.body, this)?.trim(); // also without a byte order mark (RFC 8259 §8.1)
    this.parsed = { isText: text !== undefined, content: text ? parse(text) : undefined };
    return this.parsed;
  }
}

/** A response whose body has not been read yet. */
export type JsonResponse = Pick<
  RestResponse,
  'content' | 'headers' | 'json' | 'reportViolation' | 'sentAt' | 'status'
>;

/** Value of the Accept-Encoding header: the content codings that we can decode (RFC 9110 §8.4.1). */
export const ACCEPTED_CODINGS = 'gzip, deflate, br';

const decoders: Readonly<Record<string, (body: Buffer) => Transform>> = {
  br: () => createBrotliDecompress(),
  // Some servers leave out the wrapper of RFC 9110 §8.4.1.2, whose first byte ends with 8 (RFC 1950 §2.2).
  deflate: ([first = 0]) => ((first & 0x0f) === 8 ? createInflate() : createInflateRaw()),
  gzip: () => createGunzip(),
  'x-gzip': () => createGunzip(),
};

/** The content codings of IANA's registry. Any other word is not a coding: services write a charset there, or `none`. */
const CODINGS =
  /(?<![^\s,])(?:aes128gcm|br|compress|dcb|dcz|deflate|exi|gzip|pack200-gzip|x-compress|x-gzip|zstd)(?![^\s,])/gi;

/** Whether a body is empty or JSON. `404` and `"Not found"` are JSON by chance unless their type says so. */
function mayBeOfService(content: Content | undefined, response: RestResponse): boolean {
  if (content === undefined) return true;
  return 'json' in content && (isJson(response) || Object(content.json) === content.json);
}

function parse(text: string): Content {
  try {
    return { text, json: JSON.parse(text) as unknown };
  } catch {
    return { text };
  }
}

/** As UTF-16 or valid UTF-8 whatever the charset, else by the charset, or as UTF-8 as far as it goes. Undefined if it is not text. */
function textOf(bytes: Buffer, response: RestResponse): string | undefined {
  const utf16 = utf16In(bytes);
  if (utf16 === undefined && isUtf8(bytes)) return bytes.toString('utf8');
  const [, claimed] = /;\s*charset="?([\w.:-]+)/i.exec(headerOf(response, 'content-type') ?? '') ?? [];
  const charset = utf16 ?? claimed;
  try {
    if (charset !== undefined) return new TextDecoder(charset, { fatal: true }).decode(bytes);
  } catch {
    // An unknown charset, or another than the text has.
  }
  if (bytes.includes(0)) return undefined; // binary, which the next step would spend long on
  const mixed = decodeMixed(bytes);
  return BINARY.test(mixed) ? undefined : mixed;
}

/** JSON begins with an ASCII character: in UTF-16, one of the first two bytes is zero unless there is a byte order mark (RFC 4627 §3). */
function utf16In([first, second]: Buffer): string | undefined {
  if (second === 0 || (first === 0xff && second === 0xfe)) return 'utf-16le';
  return first === 0 || (first === 0xfe && second === 0xff) ? 'utf-16be' : undefined;
}

/** Characters that compressed and other binary bodies have, and texts have not. */
const BINARY = /[^\P{Cc}\t\n\r]/u;
const windows1252 = new TextDecoder('windows-1252').decode(
  Uint8Array.from({ length: 256 }, (_, byte) => byte),
);
/** Sequences of UTF-8 that are not ASCII (RFC 3629 §3), or else a single byte. */
const UTF8_OR_BYTE =
  /(?:[\xC2-\xDF][\x80-\xBF]|[\xE0-\xEF][\x80-\xBF]{2}|[\xF0-\xF4][\x80-\xBF]{3}){1,1000}|[\x80-\xFF]/g;

/** Decodes invalid UTF-8 sequences as windows-1252, so that one string in another charset does not spoil the rest of the body. */
function decodeMixed(bytes: Buffer): string {
  return bytes
    .toString('latin1')
    .replaceAll(UTF8_OR_BYTE, (match) =>
      match.length === 1
        ? windows1252.charAt(match.charCodeAt(0))
        : Buffer.from(match, 'latin1').toString('utf8'),
    );
}

/** The content coding of a body; undefined if it has none. Several count as one that we cannot decode. */
export function codingOf({ headers }: Pick<RestResponse, 'headers'>): string | undefined {
  const { 'content-encoding': given } = headers;
  return given === undefined ? undefined : String(given).match(CODINGS)?.join().toLowerCase();
}

/** Stops at `maxResponseBytes`: the compressed size of a body says nothing about its size. */
async function decompress(
  body: Buffer,
  decoder: Transform,
  { maxResponseBytes, memory }: ReadOptions,
): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let decodedBytes = 0;
  decoder.end(body);
  for await (const chunk of decoder as AsyncIterable<Buffer>) {
    decodedBytes += chunk.length;
    if (decodedBytes > maxResponseBytes) throw new Error(`Expected at most ${maxResponseBytes} bytes`);
    chunks.push(chunk);
    await memory.hold(decodedBytes);
  }
  return Buffer.concat(chunks, decodedBytes);
}

function invalid(message: string, { status }: { status: number }, cause?: unknown): GatewayError {
  return new GatewayError('responseInvalid', { message, status, cause });
}

/** The value of a header, or the first value of a repeated one. The parser leaves white space behind it (RFC 9110 §5.5). */
export function headerOf({ headers }: Pick<RestResponse, 'headers'>, name: string): string | undefined {
  const value = headers[name];
  return (Array.isArray(value) ? value[0] : value)?.trim();
}

/** The media type in lower case and without its parameters; undefined if there is none. */
export function mediaTypeOf(response: Pick<RestResponse, 'headers'>): string | undefined {
  const [mediaType = ''] = headerOf(response, 'content-type')?.split(';') ?? [];
  return mediaType.trim().toLowerCase() || undefined;
}

export function isJson(response: Pick<RestResponse, 'headers'>): boolean {
  return /^(?:application|text)\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i.test(
    headerOf(response, 'content-type') ?? '',
  );
}

/** When a response was created by the clock of its sender (RFC 9110 §6.6.1), in milliseconds since 1970. */
export function dateOf(response: Pick<RestResponse, 'headers'>): number | undefined {
  const dateMs = parseHttpDate(headerOf(response, 'date') ?? '');
  return Number.isNaN(dateMs) ? undefined : dateMs;
}

/** Clients get the seconds as an Int of GraphQL, which has 32 bits. */
const MAX_RETRY_AFTER_SECONDS = 2 ** 31 - 1;

/** Parses a Retry-After header, which holds seconds or a date (RFC 9110 §10.2.3): one by the clock of the service, which may differ. */
export function retryAfterSeconds(response: Pick<RestResponse, 'headers'>): number | undefined {
  const header = headerOf(response, 'retry-after') ?? '';
  const now = dateOf(response) ?? Date.now();
  const seconds = /^\d+$/.test(header)
    ? Number(header)
    : Math.max(0, Math.ceil((parseHttpDate(header) - now) / 1000));
  return Number.isNaN(seconds) ? undefined : Math.min(seconds, MAX_RETRY_AFTER_SECONDS);
}

/** Parses a date in any of the three formats (RFC 9110 §5.6.7); NaN for anything else. */
function parseHttpDate(text: string): number {
  if (!/^[A-Z][a-z]{2,8},? /.test(text)) return NaN;
  return Date.parse(text.endsWith('GMT') ? text : `${text} GMT`);
}
