/** How the outcomes of writes are known, for tests whose documents and data are about something else. */

/** A mutation that selects `evidence` of each payload, too; a query as it is. */
export function withEvidence(query: string): string {
  if (!/^\s*mutation/.test(query)) return query;
  const [head = ''] = /^mutation[^{]*\{/.exec(query) ?? [];
  const fields = query.slice(head.length);
  if (head === '' || !fields.includes(') { ')) throw new Error(`Expected payloads on one line, got ${query}`);
  return head + fields.replaceAll(') { ', ') { evidence ');
}

/** The data without `evidence`, and what of it, by response key, is not the response to the write; undefined for nothing. */
export function splitEvidence(data: unknown): { data: unknown; evidence: object | undefined } {
  const payloads = Object.entries((data ?? {}) as Record<string, { evidence?: string } | null>);
  const evidence = payloads.flatMap(([key, payload]) =>
    payload?.evidence === undefined || payload.evidence === 'RESPONSE' ? [] : [[key, payload.evidence]],
  );
  const others = payloads.map(([key, payload]) => {
    if (payload === null || !('evidence' in payload)) return [key, payload];
    const members = Object.entries(payload).filter(([name]) => name !== 'evidence');
    return [key, Object.fromEntries(members)];
  });
  return {
    data: data && (Object.fromEntries(others) as object),
    evidence: evidence.length > 0 ? (Object.fromEntries(evidence) as object) : undefined,
  };
}
