/** Verifies the JWTs of clients with the key set of their issuer. Loaded only where one is configured. */
import { hash } from 'node:crypto';
import { createRemoteJWKSet, errors, jwtVerify, type JWTVerifyGetKey } from 'jose';
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';

export interface TokenVerifierOptions {
  /** URL of the issuer's key set (RFC 7517 §5). */
  jwksUrl: URL;
  /** The only accepted values of the claims `iss` and `aud` (RFC 7519 §4.1). */
  issuer: string;
  audience: string;
  log: Logger;
}

/** The subject of a valid token, or what was sent instead of one; `unavailable` while there is no key set to tell. */
export type Verification = { subject: string } | { got: string } | 'unavailable';

/** A symmetric algorithm would take the public key for its secret. */
const ALGORITHMS = 'RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA Ed25519'.split(' ');
const CLOCK_TOLERANCE_SECONDS = 30;
const FETCH_TIMEOUT_MS = 3000;
/** Time after a failed fetch in which requests do not wait for another one, in milliseconds. */
const RETRY_MS = 5000;
/** A verification takes 80 to 160 µs of CPU, as much as the rest of a request, so valid tokens are remembered, by their digests. */
const MAX_REMEMBERED = 5000;
const REMEMBERED_MS = 60_000;

export function createTokenVerifier({ jwksUrl, issuer, audience, log }: TokenVerifierOptions) {
  const keySet = createRemoteJWKSet(jwksUrl, { timeoutDuration: FETCH_TIMEOUT_MS });
  const remembered = new LRUCache<string, { subject: string }>({ max: MAX_REMEMBERED, ttl: REMEMBERED_MS });
  let failedAt: number | undefined;

  const onFailure = (error: unknown): never => {
    if (isOfToken(error)) throw error;
    if (failedAt === undefined)
      log.warn({ reason: reasonOf(error) }, 'Key set of JWTs unavailable: clients cannot be verified');
    failedAt = performance.now();
    throw new UnavailableError();
  };
  const onSuccess = <Result>(result: Result): Result => {
    if (failedAt !== undefined) log.info('Key set of JWTs available: clients are verified');
    failedAt = undefined;
    return result;
  };
  /** The key of a token; rejects with an UnavailableError if the key set cannot be fetched. */
  const findKey: JWTVerifyGetKey = (header, token) => {
    const isFailing = failedAt !== undefined && performance.now() - failedAt < RETRY_MS;
    if (isFailing && !keySet.fresh) return Promise.reject(new UnavailableError());
    return keySet(header, token).then(onSuccess, onFailure);
  };
  // The first request need not wait, and the log says at the start if the URL is wrong.
  keySet
    .reload()
    .catch(onFailure)
    .catch(() => undefined);

  const verify = async (token: string, digest: string): Promise<Verification> => {
    try {
      const { payload } = await jwtVerify(token, findKey, {
        issuer,
        audience,
        algorithms: ALGORITHMS,
        requiredClaims: ['exp', 'sub'],
        clockTolerance: CLOCK_TOLERANCE_SECONDS,
      });
      const { sub: subject, exp = 0 } = payload as { sub?: unknown; exp?: number };
      if (typeof subject !== 'string' || subject === '') return { got: otherValueOf('sub') };
      const ttl = Math.min(REMEMBERED_MS, exp * 1000 - Date.now());
      if (ttl > 0) remembered.set(digest, { subject }, { ttl });
      return { subject };
    } catch (error) {
      return error instanceof UnavailableError ? 'unavailable' : { got: describe(error) };
    }
  };

  return (token: string): Verification | Promise<Verification> => {
    const digest = hash('sha256', token, 'base64url');
    return remembered.get(digest) ?? verify(token, digest);
  };
}

class UnavailableError extends Error {}

/** Whether the key set, as it is, has no key for the token. Another error is one of the key set. */
function isOfToken(error: unknown): boolean {
  return (
    error instanceof errors.JWKSNoMatchingKey ||
    error instanceof errors.JWKSMultipleMatchingKeys ||
    error instanceof errors.JOSENotSupported
  );
}

/** Without the token, its claims and its signature. */
function describe(error: unknown): string {
  if (error instanceof errors.JWTExpired) return 'an expired JWT';
  if (error instanceof errors.JWTClaimValidationFailed)
    return error.reason === 'missing' ? `a JWT without the claim ${error.claim}` : otherValueOf(error.claim);
  if (error instanceof errors.JWSInvalid || error instanceof errors.JWTInvalid) return 'no valid JWT';
  return 'a JWT that no key of its issuer verifies';
}

function otherValueOf(claim: string): string {
  return `a JWT with another value of the claim ${claim}`;
}

/** Such as ECONNREFUSED. */
function reasonOf(error: unknown): string {
  const { message, cause } = error as Error;
  return (cause as NodeJS.ErrnoException | undefined)?.code ?? message;
}
