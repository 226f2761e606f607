/** Sends the rows of a file with a bulk field: what `npx shipment-graphql-client` does, apart from its signals. */
import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { createBatch, identityOf } from '../batch.js';
import { FIELDS, problemsOf, type BulkField } from '../columns.js';
import { messageOf } from '../inputErrors.js';
import { createList } from '../list.js';
import type { NextStep } from '../result.js';
import { REQUEST_TIMEOUT_MS } from '../retryDelay.js';
import { objectOf, read } from '../source.js';
import { inputTextOf } from '../texts.js';
import { openState, readSheet, sentRows, writeResult, type SentRow } from './files.js';

const EXAMPLE_URL = 'http://127.0.0.1:4000/graphql';
const USAGE = `Usage: shipment-graphql-client <field> <file> --url <url> [--send | --resume] [--out <file>]

  <field>        ${Object.keys(FIELDS).join(', ')}
  <file>         rows below a header, separated by commas, semicolons or tabs
  --url <url>    the gateway, such as ${EXAMPLE_URL}
  --send         sends the valid rows that were not sent before; without it, they are only checked
  --resume       continues after an interruption, with the same keys, and sends the rest
  --out <file>   writes the rows with their outcomes

Credentials: GATEWAY_TOKEN, GATEWAY_CLIENT_KEY, or the files that GATEWAY_TOKEN_FILE and GATEWAY_CLIENT_KEY_FILE name.
Exit code: 0 every row is applied, or valid if none was to be sent; 1 some are not; 2 wrong usage; 3 some are unknown.`;

/** Resolves with the exit code, and rejects if nothing was sent. The controller ends the run after what is in flight. */
export async function run(
  args: readonly string[],
  { env, stdout, stderr }: Pick<NodeJS.Process, 'env' | 'stdout' | 'stderr'>,
  controller: AbortController,
): Promise<number> {
  if (args.includes('--help')) {
    stdout.write(`${USAGE}\n`);
    return 0;
  }
  const { field, file, url, out, sends, resumes } = parse(args);
  const token = secretOf(env, 'GATEWAY_TOKEN');
  const clientKey = secretOf(env, 'GATEWAY_CLIENT_KEY');
  const { rows, columns, header, delimiter } = readSheet(file, field);
  const target = `${field} ${url}`;
  const state = sends ? openState(file) : undefined;
  /** Rows of earlier runs, without those that a row of the file has been found to be. */
  const sent = sentRows(file, target);

  const clear = stderr.isTTY ? '\r\x1b[K' : '';
  const say = (text: string) => stderr.write(`${clear}${text}\n`);
  const { signal } = controller;
  const list = createList<object>({ name: file });
  const rowsNow = () => list.getSnapshot().items as readonly SentRow[];
  const count = (matches: (row: SentRow) => boolean) => rowsNow().filter(matches).length;
  const batch = createBatch({
    list,
    field,
    wait(delayMs) {
      const failed = rowsNow().find(({ nextStep }) => nextStep === 'REPEAT');
      say(`Waiting ${Math.ceil(delayMs / 1000)} s. ${failed?.errors.map(messageOf).join(' ') || SILENCE}`);
      return sleep(delayMs, undefined, { signal }).catch(() => undefined);
    },
    async send(items, { dryRun }) {
      if (signal.aborted) return { errors: [{ message: String(signal.reason), extensions: NOT_SENT }] };
      const response = await fetch(url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          ...(token && { authorization: `Bearer ${token}` }),
          ...(clientKey && { 'x-client-key': clientKey }),
        },
        body: JSON.stringify({ query: mutationOf(field), variables: { items, dryRun } }),
        redirect: 'manual', // it would take the credentials along
        signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
      });
      const source: unknown = await response.json().catch(() => response);
      const requestId = response.headers.get('x-request-id');
      const { results } = objectOf(read(source).data[field]);
      for (const payload of Object.values(objectOf(results))) Object.assign(objectOf(payload), { requestId });
      return source;
    },
  });
  signal.addEventListener('abort', () => {
    say(`${signal.reason}: nothing further is sent. In flight: ${count(({ isPending }) => isPending)} rows.`);
    batch.cancel();
  });

  list.add(rows.map(({ cells }) => FIELDS[field].itemOf(cells)));
  list.edit((row, index) => {
    const errors = problemsOf(rows[index]?.cells ?? {});
    return errors.length > 0 ? { ...row, errors, phase: 'CHECKED', nextStep: 'CORRECT' } : row;
  });

  let saved = rowsNow();
  list.subscribe(() => {
    const changed = rowsNow().filter((row, index) => row.sentAt && row !== saved[index]);
    saved = rowsNow();
    try {
      if (changed.length > 0) state?.append(changed.map((row) => ({ target, row })));
    } catch (error) {
      controller.abort(`The state cannot be written (${(error as Error).message})`);
    }
    if (!sends || changed.every(({ isPending }) => isPending)) return;
    const applied = count(({ outcome }) => outcome === 'APPLIED');
    const text = `${applied} of ${rows.length} rows applied`;
    const bar = '#'.repeat((BAR_WIDTH * applied) / rows.length).padEnd(BAR_WIDTH);
    stderr.write(stderr.isTTY ? `${clear}[${bar}] ${text}` : `${text}\n`);
  });

  const reasonOf = ({ errors, nextStep, outcome }: SentRow) => {
    const texts = errors.map((error) => {
      const { inputPath = [] } = error;
      const place = columns.findIndex((column = '') => inputPath.includes(column.replace(/\..*/, '')));
      const text = inputTextOf({ ...error, message: messageOf(error) }).replace(/[^.!?]$/, '$&.');
      return [header[place] ?? inputPath.at(-1), text].filter(Boolean).join(': ');
    });
    if (texts.length === 0 && nextStep === 'REPEAT') texts.push(SILENCE);
    return [...texts, (sends || outcome === 'UNKNOWN') && ADVICE[nextStep]].filter(Boolean).join(' ');
  };
  let hasFailed = false;
  try {
    await batch.check();
    // In the notation of the file, or in that of the gateway.
    const known = new Map<string, SentRow>();
    for (const row of sent.values())
      for (const payload of [{}, row.payload]) known.set(identityOf(row.item, payload), row);
    list.edit((row) => {
      const before = known.get(identityOf(row.item, row.payload));
      return before && sent.delete(before.key) ? before : row;
    });
    const from = rowsNow().flatMap((row) => row.from ?? []);
    if (from.length > 0) say(`${from.length} rows were sent before, from ${[...new Set(from)].join(', ')}.`);
    if (resumes && !signal.aborted) await batch.repeat();
    if (sends && !signal.aborted) await batch.send({ onInvalidItem: 'SEND_OTHERS' });
    if (out) writeResult(out, { delimiter, header, rows }, rowsNow(), reasonOf);
    state?.close();
  } catch (error) {
    say((error as Error).message);
    hasFailed = true; // the rows are reported all the same
  }

  const lost = [...sent.values()].filter((row) => row.from === basename(file) && row.outcome === 'UNKNOWN');
  const report = [...rowsNow(), ...lost];
  const isGood = (row: SentRow) => row.outcome === 'APPLIED' || (!sends && row.nextStep === 'SEND');
  const good = report.filter(isGood).length;
  const unknown = report.filter(({ outcome }) => outcome === 'UNKNOWN').length;
  for (const [index, row] of report.entries()) {
    const { number } = rows[index] ?? {};
    const place = number ? `Row ${number}` : `Not in the file (put it back): ${JSON.stringify(row.item)}`;
    const outcome = row.outcome.toLowerCase().replace('_', ' ');
    if (!isGood(row)) stdout.write(`${place}: ${outcome}. ${reasonOf(row)}\n`);
  }
  const others = `${report.length - good - unknown} are not, ${unknown} are unknown`;
  say(`${good} of ${rows.length} rows are ${sends ? 'applied' : 'valid or applied'}, ${others}.`);
  if (sends && count(({ nextStep }) => nextStep in ADVICE && nextStep !== 'DECIDE') > 0)
    say(`To continue: npx shipment-graphql-client ${field} ${JSON.stringify(file)} --url ${url} --resume`);
  return unknown > 0 ? 3 : hasFailed || good < rows.length ? 1 : 0;
}

const BAR_WIDTH = 30;
const SILENCE = 'The gateway did not respond.';
const NOT_SENT = { code: 'SERVICE_UNAVAILABLE', retryable: true, outcome: 'NOT_APPLIED' };
const ADVICE: Partial<Record<NextStep, string>> = {
  SEND: 'It was not sent.',
  REPEAT: 'Continue with --resume: each row is applied at most once.',
  SIGN_IN: 'Renew the token, then continue with --resume.',
  REQUEST_ACCESS: 'Ask for access, then continue with --resume.',
  DECIDE: 'A repeat cannot settle it: look before you send it again.',
};

function parse(args: readonly string[]) {
  const text = { type: 'string' } as const;
  const flag = { type: 'boolean', default: false } as const;
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { url: text, out: text, send: flag, resume: flag },
  });
  const { url = '', out, send, resume } = values;
  const [field = '', file = '', ...others] = positionals;
  if (!file || others.length > 0 || !Object.hasOwn(FIELDS, field)) throw new Error(USAGE);
  if (out !== undefined && (resolve(out) === resolve(file) || !existsSync(dirname(out))))
    throw new Error(`Expected --out to name another file, in an existing folder, got ${out}`);
  const { href = '', protocol = '', username, password } = URL.canParse(url) ? new URL(url) : {};
  if (!/^https?:$/.test(protocol) || username || password)
    throw new Error(`Expected --url with the URL of the gateway, such as ${EXAMPLE_URL}: no credentials`);
  return { field: field as BulkField, file, url: href, out, sends: send || resume, resumes: resume };
}

/** The secret in a variable, or in the file that another one names. */
function secretOf(env: NodeJS.ProcessEnv, name: string): string {
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
