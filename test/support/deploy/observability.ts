/** Reads the files in deploy/observability. */
import { parse } from 'yaml';
import { codeBlocks } from '../../docs/support/markdown.js';
import { readText } from './deployment.js';

export interface RecordingRule {
  record: string;
  expr: string;
}

export interface AlertingRule {
  alert: string;
  expr: string;
  annotations: Record<string, string>;
}

export interface AlertTest {
  name?: string;
  alert_rule_test: { alertname: string; exp_alerts: unknown[] }[];
}

export interface Panel {
  id: number;
  title: string;
  gridPos: { h: number; w: number; x: number; y: number };
  targets?: { expr: string }[];
}

export interface Dashboard {
  panels: Panel[];
  templating: { list: { name: string }[] };
  annotations: { list: { expr?: string }[] };
}

const alertsFile = 'deploy/observability/alerts.yaml';

export function readRuleGroups(): { rules: (AlertingRule | RecordingRule)[] }[] {
  return (parse(readText(alertsFile)) as { groups: { rules: (AlertingRule | RecordingRule)[] }[] }).groups;
}

const rules = () => readRuleGroups().flatMap((group) => group.rules);

export function readAlerts(): AlertingRule[] {
  return rules().filter((rule) => 'alert' in rule);
}

export function readRecordings(): RecordingRule[] {
  return rules().filter((rule) => 'record' in rule);
}

export function readAlertTests(): AlertTest[] {
  const { tests } = parse(readText('deploy/observability/alerts.test.yaml')) as { tests: AlertTest[] };
  return tests;
}

export function readDashboard(): Dashboard {
  return JSON.parse(readText('deploy/observability/dashboard.json')) as Dashboard;
}

/** The queries of the dashboard by where they are, with its variables replaced as Grafana does by default. */
export function dashboardQueries(): { where: string; query: string }[] {
  const { panels, annotations } = readDashboard();
  const queries = [
    ...panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => ({ where: title, expr }))),
    ...annotations.list.flatMap(({ expr }) => (expr === undefined ? [] : [{ where: 'annotations', expr }])),
  ];
  return queries.map(({ where, expr }) => ({ where, query: withVariables(expr) }));
}

function withVariables(query: string): string {
  return query
    .replaceAll(/\$(?:namespace|instance)/g, '.*')
    .replaceAll('$job', 'shipment-gateway')
    .replaceAll(/\$__(?:rate_interval|range)/g, '1m');
}

/** The queries of the runbook; a code block has several, with an empty line in between. */
export function runbookQueries(): string[] {
  return codeBlocks('docs/runbook.md')
    .filter(({ language }) => language === 'promql')
    .flatMap(({ text }) => text.split('\n\n'))
    .filter((query) => query.trim() !== '');
}
