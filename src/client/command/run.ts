/** Sends the rows of a file with a bulk field: what `npx shipment-graphql-client` does, apart from its signals. */
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { basename } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { createBatch, clientOf } from '../batch.js';
import { cellsOf, COLUMNS, FIELDS, problemsOf, type BulkField, type Column } from '../columns.js';
import { messageOf } from '../inputErrors.js';
import { createList } from '../list.js';
import type { NextStep } from '../result.js';
import { REQUEST_TIMEOUT_MS } from '../retryDelay.js';
import { objectOf } from '../source.js';
import { inputTextOf } from '../texts.js';
import { readSheet, writeResult } from './sheet.js';
import { knownRows, openState, type SentRow } from './state.js';

const USAGE = `Usage: shipment-graphql-client <field> <file> --url <url> [--send | --resume] [--out <file>]

  <field>        ${Object.keys(FIELDS).join(', ')}
  <file>         rows below a header, separated by commas, semicolons or tabs
  --url <url>    the gateway, such as http://127.0.0.1:4000/graphql
  --send         sends the valid rows that were not sent before; without it, they are only checked
  --resume       goes on after an interruption, with the same keys, and sends the rest
  --out <file>   writes the rows with their outcomes
  --help         prints this text

Credentials: GATEWAY_TOKEN, GATEWAY_CLIENT_KEY, or the files that GATEWAY_TOKEN_FILE and GATEWAY_CLIENT_KEY_FILE name.
Exit code: 0 every row is applied, or valid if none was to be sent; 1 some are not; 2 wrong usage; 3 some are unknown.
`;

export interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Ends the run after what is in flight. */
  readonly signal: AbortSignal;
  readonly stdout: (text: string) => void;
  readonly stderr: (text: string) => void;
  /** Whether stderr is a terminal, where a bar shows the progress. */
  readonly isTerminal: boolean;
}

/** Resolves with the exit code. */
export async function run(args: readonly string[], surroundings: Surroundings): Promise<number> {
  const { signal, stdout, stderr, isTerminal } = surroundings;
  const say = (text: string) => stderr(`${isTerminal ? CLEARED : ''}${text}\n`);
  if (args.includes('--help')) {
    stdout(USAGE);
    return 0;
  }
  const prepare = () => {
    const options = parse(args, surroundings.env);
    const sheet = readSheet(options.file, options.field);
    const scope = { url: options.url, field: options.field };
    const state = options.isSent ? openState(options.file, scope) : undefined;
    return { ...options, ...sheet, state, known: knownRows(options.file, scope) };
  };
  let prepared: ReturnType<typeof prepare>;
  try {
    prepared = prepare();
  } catch (error) {
    say((error as Error).message);
    return 2;
  }
  const { field, file, url, headers, isSent, isResumed, out, rows, columns, header, state, known } = prepared;

  /** Why nothing further is sent. */
  let obstacle = '';
  const list = createList<object>({ name: file });
  const batch = createBatch({
    list,
    field,
    wait: (delayMs) => sleep(delayMs, undefined, { signal }).catch(() => undefined),
    async send(items, { dryRun }) {
      if (obstacle) return { errors: [{ message: obstacle, extensions: NOT_SENT }] };
      const response = await fetch(url, {
        method: 'POST',
        headers,
        body: JSON.stringify({ query: mutationOf(field), variables: { items, dryRun } }),
        redirect: 'manual', // it would take the credentials along
        signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
      });
      const source: unknown = await response.json().catch(() => response);
      const results = objectOf(objectOf(objectOf(objectOf(source)['data'])[field])['results']);
      const requestId = response.headers.get('x-request-id') ?? '';
      const facts = new Map(
        items.map(({ idempotencyKey }, index) => [idempotencyKey, { ...factsOf(results[index]), requestId }]),
      );
      list.edit((row) => (facts.has(row.key) ? { ...row, ...facts.get(row.key) } : row));
      return source;
    },
  });
  const rowsNow = () => list.getSnapshot().items as readonly SentRow[];
  const count = (matches: (row: SentRow) => boolean) => rowsNow().filter(matches).length;

  const cells = rows.map(({ texts }) => cellsOf(texts, columns));
  list.add(cells.map((each) => FIELDS[field].itemOf(each)));
  list.edit((row, index) => {
    const problems = Object.entries(problemsOf(cells[index] ?? {})) as [Column, string][];
    const errors = problems.map(([column, message]) => ({
      ...INVALID,
      message,
      inputPath: [COLUMNS[column]],
    }));
    return errors.length === 0 ? row : { ...row, errors, phase: 'CHECKED', nextStep: 'CORRECT' };
  });
  const taken = new Map<string, string>();
  /** Rows that were sent before stay what they are. */
  const takeKnown = () =>
    list.edit((row) => {
      const found = row.phase === 'QUEUED' ? undefined : known.get(clientOf(row.item, row.normalized));
      if (!found || taken.has(found.row.key)) return row;
      taken.set(found.row.key, found.name);
      return found.row;
    });

  let before = rowsNow();
  let waitsUntil: number | undefined;
  let saidAt = Date.now();
  const follow = () => {
    const { items, retryAt } = list.getSnapshot();
    // What the response adds to a row is written with its outcome.
    const changed = items.filter(
      (row, index) => row !== before[index] && row.sentAt && !(row.isPending && before[index]?.isPending),
    );
    before = items;
    try {
      if (changed.length > 0 && !obstacle) state?.append(changed);
    } catch (error) {
      obstacle = `Nothing further is sent, as the state cannot be written: ${(error as Error).message}.`;
      say(obstacle);
      batch.cancel();
    }
    if (retryAt && retryAt !== waitsUntil) {
      const why = rowsNow()
        .find(({ nextStep }) => nextStep === 'REPEAT')
        ?.errors.map(messageOf);
      say(`Waiting ${Math.ceil((retryAt - Date.now()) / 1000)} s. ${why?.join(' ') || SILENCE}`);
    }
    waitsUntil = retryAt;
    const applied = count(({ outcome }) => outcome === 'APPLIED');
    const text = `${applied} of ${items.length} rows applied`;
    const bar = '#'.repeat((BAR_WIDTH * applied) / items.length).padEnd(BAR_WIDTH);
    if (!isSent || (!isTerminal && Date.now() - saidAt < LINE_EVERY_MS)) return;
    stderr(isTerminal ? `${CLEARED}[${bar}] ${text}` : `${text}\n`);
    saidAt = Date.now();
  };
  signal.addEventListener('abort', () => {
    obstacle ||= 'Interrupted.';
    say(`Stopping, once the ${count(({ isPending }) => isPending)} rows in flight have ended.`);
    batch.cancel();
  });

  const work = async () => {
    await batch.check();
    takeKnown();
    if (taken.size > 0)
      say(
        `${taken.size} rows were sent before, from ${[...new Set(taken.values())].join(', ')}: none is sent twice.`,
      );
    if (isSent && !isResumed && count(isInterrupted) > 0)
      say('Nothing is sent: some rows were being sent before. Go on with --resume, which doubles none.');
    else if (isSent && !obstacle) {
      if (isResumed) await batch.repeat();
      await batch.send({ onInvalidItem: 'SEND_OTHERS' });
    }
  };
  takeKnown();
  list.subscribe(follow);
  await work().catch((error: unknown) => say(String(error))); // a bug: the rows are reported all the same

  const reasonOf = ({ errors, nextStep, outcome }: SentRow) => {
    const texts = errors.map((error) => {
      const { inputPath = [] } = error;
      const place = header.find((_cell, index) => {
        const column = columns[index];
        return column && inputPath.includes(COLUMNS[column]);
      });
      const text = inputTextOf({ ...error, message: messageOf(error) });
      return [place ?? inputPath.at(-1), text.replace(/[^.!?]$/, '$&.')].filter(Boolean).join(': ');
    });
    if (texts.length === 0 && nextStep === 'REPEAT') texts.push(SILENCE);
    return [...texts, (isSent || outcome === 'UNKNOWN') && ADVICE[nextStep]].filter(Boolean).join(' ');
  };
  const isGood = ({ outcome, nextStep }: SentRow) =>
    outcome === 'APPLIED' || (!isSent && nextStep === 'SEND');
  const gone = [...new Set(known.values())].filter(
    ({ row, name }) => name === basename(file) && row.outcome === 'UNKNOWN' && !taken.has(row.key),
  );
  const unknown = count(({ outcome }) => outcome === 'UNKNOWN');
  const good = count(isGood);
  state?.close();
  let code = unknown + gone.length > 0 ? 3 : good < rows.length ? 1 : 0;
  try {
    if (out) writeResult(out, prepared, rowsNow(), reasonOf);
  } catch (error) {
    say((error as Error).message);
    code ||= 1;
  }
  for (const [index, row] of rowsNow().entries())
    if (!isGood(row)) stdout(`Row ${rows[index]?.number ?? 0}: ${WORDS[row.outcome]}. ${reasonOf(row)}\n`);
  for (const { row } of gone)
    stdout(
      `A row that is no longer in the file: unknown. Put it back to find out: ${JSON.stringify(row.item)}\n`,
    );
  say(
    `${good} of ${rows.length} rows are ${isSent ? 'applied' : 'valid or applied'}, ${rows.length - good - unknown} are not, ${unknown} are unknown.`,
  );
  if (isSent && count(({ nextStep }) => nextStep in ADVICE && nextStep !== 'DECIDE') > 0)
    say(`To go on: npx shipment-graphql-client ${field} ${JSON.stringify(file)} --url ${url} --resume`);
  return code;
}

const CLEARED = '\r\x1b[K';
const BAR_WIDTH = 30;
const LINE_EVERY_MS = 1000;
const SILENCE = 'The gateway did not respond.';
const INVALID = { code: 'BAD_USER_INPUT', retryable: false };
const NOT_SENT = { code: 'SERVICE_UNAVAILABLE', retryable: true, outcome: 'NOT_APPLIED' };
const WORDS = { APPLIED: 'applied', NOT_APPLIED: 'not applied', UNKNOWN: 'unknown' };
const ADVICE: Partial<Record<NextStep, string>> = {
  SEND: 'It was not sent.',
  REPEAT: 'Go on with --resume: it happens once at most.',
  SIGN_IN: 'Renew the token, then go on with --resume.',
  REQUEST_ACCESS: 'Ask for access, then go on with --resume.',
  DECIDE: 'A repeat cannot find out: look before you send it again.',
};
const isInterrupted = ({ outcome, nextStep }: SentRow) => outcome === 'UNKNOWN' && nextStep !== 'DECIDE';

function parse(args: readonly string[], env: Surroundings['env']) {
  const text = { type: 'string' } as const;
  const flag = { type: 'boolean', default: false } as const;
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { url: text, out: text, send: flag, resume: flag },
    });
    const { url: given = '', out } = values;
    const [field = '', file = '', ...others] = positionals;
    if (!Object.hasOwn(FIELDS, field)) throw new Error(`Expected a bulk field, got ${JSON.stringify(field)}`);
    if (!existsSync(file) || others.length > 0)
      throw new Error(`Expected a file, got ${[file, ...others].join(' ')}`);
    if (out !== undefined && existsSync(out) && realpathSync(out) === realpathSync(file))
      throw new Error('Expected another file for the result than that of the rows');
    const url = new URL(URL.canParse(given) ? given : 'none:');
    if (!/^https?:$/.test(url.protocol) || url.username || url.password)
      throw new Error('Expected --url with the URL of the gateway, without credentials');
    if (url.pathname === '/') url.pathname = '/graphql';
    const [token, key] = ['GATEWAY_TOKEN', 'GATEWAY_CLIENT_KEY'].map((name) => secretOf(name, env));
    return {
      field: field as BulkField,
      file,
      url: url.href,
      out,
      isSent: values.send || values.resume,
      isResumed: values.resume,
      headers: {
        'content-type': 'application/json',
        ...(token && { authorization: `Bearer ${token}` }),
        ...(key && { 'x-client-key': key }),
      },
    };
  } catch (error) {
    throw new Error(`${(error as Error).message}\n\n${USAGE}`, { cause: error });
  }
}

function secretOf(name: string, env: Surroundings['env']): string {
  const file = env[`${name}_FILE`];
  const secret = (env[name] ?? (file ? readFileSync(file, 'utf8') : '')).trim();
  // A message of fetch would quote it.
  if (/[^\x21-\x7e]/.test(secret)) throw new Error(`Expected visible ASCII characters in ${name}`);
  return secret;
}

function mutationOf(field: BulkField): string {
  const item = `${field.charAt(0).toUpperCase()}${field.slice(1, -1)}Item`;
  return `mutation RowsOfFile($items: [${item}!]!, $dryRun: Boolean!) {
    ${field}(items: $items, dryRun: $dryRun, onInvalidItem: SEND_OTHERS) {
      results {
        outcome evidence errors { code message retryable retryAfterSeconds requestId inputPath rule limit serviceMessages }
        ${FIELDS[field].shows}
      }
    }
  }`;
}

/** What a result says of the row, beyond its outcome. */
function factsOf(result: unknown) {
  const { notificationGuid, exceptionGuid, exceptionFileGuid, shipment, driverPhoneNumber } =
    objectOf(result);
  const { freightProviderReferenceNumber } = objectOf(shipment);
  const id = notificationGuid ?? exceptionGuid ?? exceptionFileGuid ?? freightProviderReferenceNumber;
  return {
    ...(typeof id === 'string' && { identifier: id }),
    ...(typeof driverPhoneNumber === 'string' && { number: driverPhoneNumber }),
  };
}
