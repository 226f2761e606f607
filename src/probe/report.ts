/** What the steps of the probe share and report: findings, the settings that follow from them, and how both are printed. */
import { z } from 'zod';
import type { VariableName } from '../config/variables.js';
import type { ServiceSettings } from '../freight/operations.js';
import type { ProbeCall } from './calls.js';

const verdicts = {
  proven: 'the service showed that the gateway is configured for it',
  contradicted: 'the service showed another habit: set `variable` to `value`',
  assumed: 'nothing was seen that tells; `saw` says what would',
  failed: 'something else than expected was seen, and no variable changes that',
} as const;

const Finding = z.strictObject({
  point: z.string().describe('what the probe looked at: the name of a variable, or a few words'),
  verdict: z.enum(Object.keys(verdicts) as (keyof typeof verdicts)[]).describe(
    Object.entries(verdicts)
      .map(([name, meaning]) => `\`${name}\`: ${meaning}`)
      .join('. '),
  ),
  saw: z
    .string()
    .describe("statuses, media types, names of members and the service's own messages, without secrets"),
  variable: z.string().nullable().describe('environment variable that the finding is about'),
  value: z.string().nullable().describe('value that the variable should have; null if it has the right one'),
});
export type Finding = z.output<typeof Finding>;

const ProbeReport = z.strictObject({
  ok: z.boolean().describe('whether nothing is contradicted or failed'),
  settings: z.record(z.string(), z.string()).describe('variables to set, with their values'),
  findings: z.array(Finding).describe('in the order in which they were made'),
});
export type ProbeReport = z.output<typeof ProbeReport>;

/** The JSON Schema of what `--probe --json` prints. */
export function createProbeSchema() {
  return {
    ...z.toJSONSchema(ProbeReport, { target: 'draft-7' }),
    title: 'Report of shipment-graphql-gateway --probe --json',
  };
}

/** What the steps of the probe share. A later finding about a point replaces an earlier one, unless that has a value to set. */
export interface Probe {
  readonly call: ProbeCall;
  readonly hasToken: boolean;
  /** The settings in effect, with what has been found so far. */
  settings(): ServiceSettings;
  /** Says what is about to be written. */
  announce(text: string): void;
  proven(point: string, saw: string): void;
  /** From here on, the variable has this value. */
  contradicted(variable: VariableName, value: string, saw: string): void;
  assumed(point: string, saw: string): void;
  failed(point: string, saw: string): void;
}

export function toReport(findings: readonly Finding[]): ProbeReport {
  const contradictions = findings.flatMap(({ variable, value }) =>
    variable === null || value === null ? [] : [[variable, value] as const],
  );
  return {
    ok: findings.every(({ verdict }) => verdict === 'proven' || verdict === 'assumed'),
    settings: Object.fromEntries(contradictions),
    findings: [...findings],
  };
}

const colors = { proven: 32, contradicted: 33, assumed: 36, failed: 31 } as const;

export interface FormatOptions {
  hasColors: boolean;
  /** Whether the writes of the service were probed, too. */
  hasWrites: boolean;
}

/** The report for people: a line for each finding, the lines for `.env`, and what to do next. */
export function formatReport(report: ProbeReport, options: FormatOptions): string {
  const { findings } = report;
  const width = Math.max(...findings.map(({ point }) => point.length));
  const paint = (verdict: Finding['verdict']) => {
    const text = verdict.padEnd('contradicted'.length);
    return options.hasColors ? `\u001b[${colors[verdict]}m${text}\u001b[0m` : text;
  };
  const lines = findings.map(
    ({ point, verdict, saw }) => `${paint(verdict)}  ${point.padEnd(width)}  ${saw}`,
  );
  const settings = Object.entries(report.settings).map(([name, value]) => `${name}=${shellQuote(value)}`);
  return [
    ...lines,
    ...(settings.length > 0 ? ['', 'Add to .env:', '', ...settings] : []),
    '',
    nextStep(report, options),
    '',
  ].join('\n');
}

function nextStep({ ok, settings }: ProbeReport, { hasWrites }: FormatOptions): string {
  if (Object.keys(settings).length > 0) return 'Next: set these variables, and probe again.';
  if (!ok) return 'Next: fix what failed, and probe again.';
  if (!hasWrites)
    return 'Next: probe the writes with --probe-writes, which creates, updates and deletes a notification of its own.';
  return 'Next: --check-config, then a dry run of each mutation (docs/first-hour.md).';
}

/** A value for a file that a shell, Docker Compose or systemd reads. */
function shellQuote(value: string): string {
  return /^[\w./:@%+,{}-]*$/.test(value) ? value : `'${value.replaceAll("'", "'\\''")}'`;
}
