/** What production requires, apart from SERVICE_URL. Tests of idempotency keys choose another store. */
export const productionEnv = { NODE_ENV: 'production', IDEMPOTENCY_STORE: 'off' } as const;

/**
 * The environment of the programs that tests start: variables of the developer's shell, such as RATE_LIMIT or
 * NODE_OPTIONS, must not change their results.
 */
export const minimalEnv: Readonly<Record<string, string>> = Object.fromEntries(
  ['PATH', 'HOME'].flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value]];
  }),
);
