/** What PromQL queries name. */

export interface Selector {
  metric: string;
  /** The labels that the query matches, with the values that it requires: those of `=` and `=~`. */
  matchers: { label: string; values: string[] }[];
}

/** Vector matching and aggregation by labels. */
const BY_LABELS = /\b(?:by|without|on|ignoring|group_left|group_right)\s*\(([^)]*)\)/g;
const SELECTOR = /(?<![\w.:])([a-z_:][\w:]*)\s*(?:\{([^}]*)\})?(\s*\()?/gi;
const OPERATORS = new Set(['and', 'or', 'unless', 'bool', 'offset']);

/** The metrics that a query selects. */
export function selectorsIn(query: string): Selector[] {
  const text = withoutComments(query)
    .replaceAll(BY_LABELS, '')
    .replaceAll(/\[[\w:$]+\]/g, '');
  return [...text.matchAll(SELECTOR)]
    .filter(([, name = '', , parenthesis]) => parenthesis === undefined && !OPERATORS.has(name))
    .map(([, metric = '', matchers = '']) => ({
      metric,
      matchers: [...matchers.matchAll(/(\w+)\s*(=~?|!=|!~)\s*"([^"]*)"/g)].map(
        ([, label = '', operator = '', value = '']) => ({
          label,
          values: operator.startsWith('=') ? value.split('|') : [],
        }),
      ),
    }));
}

/** The labels by which a query groups or joins. */
export function groupingLabelsIn(query: string): string[] {
  return [...withoutComments(query).matchAll(BY_LABELS)].flatMap(([, labels = '']) =>
    labels
      .split(',')
      .map((label) => label.trim())
      .filter((label) => label !== ''),
  );
}

function withoutComments(query: string): string {
  return query.replaceAll(/^\s*#.*$/gm, '');
}
