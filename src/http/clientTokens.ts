/** Verifies the JWTs of clients with the key set of their issuer. Loaded only where one is configured. */
import { hash } from 'node:crypto';
import { createLocalJWKSet, createRemoteJWKSet, customFetch, errors, jwtVerify } from 'jose';
import type { JSONWebKeySet, JWTVerifyGetKey, JWTVerifyOptions } from 'jose';
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import { createAgent, getJson, type ProxySettings } from '../transport/connector.js';

export interface TokenVerifierOptions {
  /** URL of the issuer's key set (RFC 7517 §5). */
  jwksUrl: URL;
  /** The only accepted values of the claims `iss` and `aud` (RFC 7519 §4.1). */
  issuer: string;
  audience: string;
  proxies: ProxySettings;
  log: Logger;
}

/** The subject of a valid token, or a description of an invalid one; `unavailable` while there is no key set to verify it with. */
export type Verification = { subject: string } | { rejectedAs: string } | 'unavailable';

const REQUIREMENTS: JWTVerifyOptions = {
  // A symmetric algorithm would take the public key for its secret.
  algorithms: 'RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA Ed25519'.split(' '),
  requiredClaims: ['exp', 'sub'],
  clockTolerance: 30,
};
const FETCH_TIMEOUT_MS = 3000;
/** Minimum time between fetches, whatever their result: made-up key IDs must not make the gateway call the issuer more often. */
const MIN_INTERVAL_MS = 5000;
/** Age at which the key set is fetched again, in the background, and at which it expires: an issuer may be unavailable for hours. */
const REFRESH_MS = 600_000;
const MAX_AGE_MS = 12 * 3_600_000;
/** A verification takes 80 to 160 µs of CPU, as much as the rest of a request, so valid tokens are remembered, by their digests. */
const MAX_REMEMBERED = 5000;
const REMEMBERED_MS = 60_000;

export function createTokenVerifier({ issuer, audience, ...options }: TokenVerifierOptions) {
  const findKey = createKeySet(options);
  const expected = { ...REQUIREMENTS, issuer, audience };
  const remembered = new LRUCache<string, { subject: string }>({ max: MAX_REMEMBERED });
  return async (token: string): Promise<Verification> => {
    const digest = hash('sha256', token, 'base64url');
    const known = remembered.get(digest);
    if (known) return known;
    try {
      const { payload } = await verify(token, findKey, expected);
      const { sub: subject, exp = 0 } = payload as { sub?: unknown; exp?: number };
      if (typeof subject !== 'string' || subject === '')
        throw new errors.JWTClaimValidationFailed('Expected a string', payload, 'sub', 'invalid');
      const ttl = Math.min(REMEMBERED_MS, exp * 1000 - Date.now());
      if (ttl > 0) remembered.set(digest, { subject }, { ttl });
      return { subject };
    } catch (error) {
      return error instanceof UnavailableError ? 'unavailable' : { rejectedAs: describe(error) };
    }
  };
}

/** Tries each of the keys that a token may be signed with: during a rotation, two may have one ID. */
async function verify(token: string, findKey: JWTVerifyGetKey, expected: JWTVerifyOptions) {
  try {
    return await jwtVerify(token, findKey, expected);
  } catch (error) {
    if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error;
    for await (const key of error)
      try {
        return await jwtVerify(token, key, expected);
      } catch (reason) {
        if (!(reason instanceof errors.JWSSignatureVerificationFailed)) throw reason;
      }
    throw error;
  }
}

class UnavailableError extends Error {}

/** Finds the key of a token; rejects with an UnavailableError if that takes a key set that cannot be fetched now. */
function createKeySet({ jwksUrl, proxies, log }: Omit<TokenVerifierOptions, 'audience' | 'issuer'>) {
  const agent = createAgent(jwksUrl, FETCH_TIMEOUT_MS, proxies);
  let [triedAt, fetchedAt] = [-Infinity, -Infinity];
  let isAvailable = true;
  const fetchKeys = async () => {
    if (Date.now() - triedAt < MIN_INTERVAL_MS) throw new UnavailableError();
    triedAt = Date.now();
    try {
      const keys = (await getJson(jwksUrl, agent, FETCH_TIMEOUT_MS)) as JSONWebKeySet;
      createLocalJWKSet(keys); // throws if it is not a key set
      if (!isAvailable) log.info('Key set of JWTs available');
      isAvailable = true;
      fetchedAt = triedAt;
      return Response.json(keys);
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      if (isAvailable) log.warn({ reason: code ?? message }, 'Key set of JWTs unavailable');
      isAvailable = false;
      throw new UnavailableError();
    }
  };
  const keySet = createRemoteJWKSet(jwksUrl, {
    cooldownDuration: MIN_INTERVAL_MS,
    cacheMaxAge: MAX_AGE_MS,
    [customFetch]: fetchKeys,
  });
  const refresh = () => void keySet.reload().catch(() => undefined);
  refresh(); // the first request need not wait, and the log says at the start if the URL is wrong
  return ((header, token) => {
    if (Date.now() - fetchedAt > REFRESH_MS) refresh();
    return keySet(header, token);
  }) satisfies JWTVerifyGetKey;
}

/** Describes an invalid JWT for the client; never quotes the token, the values of its claims or its signature. */
function describe(error: unknown): string {
  if (error instanceof errors.JWTExpired) return 'an expired JWT';
  if (error instanceof errors.JWTClaimValidationFailed)
    return `a JWT ${error.reason === 'missing' ? 'without the' : 'with another value of the'} claim ${error.claim}`;
  if (error instanceof errors.JWSInvalid || error instanceof errors.JWTInvalid) return 'no valid JWT';
  return 'a JWT that no key of its issuer verifies';
}
