/** Rules and runbook fit each other; test/system/telemetry/observability.test.ts has promtool check the rules. */
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { codeSpans, proseLines } from '../docs/support/markdown.js';
import { root } from '../support/deploy/deployment.js';
import { buildManifests, findManifest, podTemplateOf } from '../support/deploy/kubernetes.js';
import {
  readAlerts,
  readAlertTests,
  readRecordings,
  readRuleGroups,
} from '../support/deploy/observability.js';

const alerts = readAlerts();
const names = [...new Set(alerts.map(({ alert }) => alert))];

describe.each(names)('%s', (name) => {
  const cases = readAlertTests()
    .flatMap((each) => each.alert_rule_test)
    .filter(({ alertname }) => alertname === name);

  test('has a case in which it fires, and one in which it does not', () => {
    expect(cases.some(({ exp_alerts }) => exp_alerts.length > 0)).toBe(true);
    expect(cases.some(({ exp_alerts }) => exp_alerts.length === 0)).toBe(true);
  });

  test('links to its section of the runbook', () => {
    for (const { annotations } of alerts.filter(({ alert }) => alert === name))
      expect(annotations['runbook_url']).toContain(`docs/runbook.md#${name.toLowerCase()}`);
  });
});

describe('docs/runbook.md', () => {
  const lines = proseLines('docs/runbook.md').map(({ text }) => text);

  test('has a section for each alert, in their order, and no other', () => {
    const headings = lines.flatMap((text) => /^## (Gateway\w+)$/.exec(text)?.[1] ?? []);
    expect(headings).toEqual(names);
  });

  test('quotes only log messages of the code', () => {
    const source = readdirSync(`${root}src`, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .map((file) => readFileSync(`${root}src/${file}`, 'utf8'))
      .join('\n');
    const messages = codeSpans(lines.join(' ')).filter((span) => /^[A-Z][a-z]+ [a-z]/i.test(span));
    expect(messages).not.toEqual([]);
    expect(messages.filter((message) => !source.includes(`'${message}'`))).toEqual([]);
  });
});

test('the memory limit of the rules is that of the Deployment', () => {
  const rule = readRecordings().find(({ record }) => record === 'shipment_gateway:memory_limit:bytes');
  const [, mebibytes = ''] = /^vector\((\d+) \* 1024 \* 1024\)$/.exec(rule?.expr ?? '') ?? [];
  expect(podTemplateOf(buildManifests('base')).spec.containers[0].resources.limits?.['memory']).toBe(
    `${mebibytes}Mi`,
  );
});

test('the PrometheusRule has the same rules: npm run deploy:rules writes it', () => {
  expect(findManifest(buildManifests('overlays/full'), 'PrometheusRule').spec).toEqual({
    groups: readRuleGroups(),
  });
});
