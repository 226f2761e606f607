/** Identifies clients by a key of CLIENT_KEYS_FILE or a JWT of CLIENT_JWT_ISSUER. Nothing else reads these credentials. */
import { hash } from 'node:crypto';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { createLocalJWKSet, createRemoteJWKSet, customFetch, errors, jwtVerify } from 'jose';
import type { JSONWebKeySet, JWTVerifyGetKey, JWTVerifyOptions } from 'jose';
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import { watchClientKeys, type ClientKeysFile } from '../domain/files.js';
import { truncate } from '../domain/text.js';
import { parseBearerToken, tokenOf } from '../domain/parameters.js';
import type { AccessProblem } from '../freight/restCall.js';
import type { RequestSummary } from '../telemetry/requestSummary.js';
import { createAgent, getJson, type ProxySettings } from '../transport/connector.js';
import { CLIENT_AUTHORIZATION_HEADER, CLIENT_KEY_HEADER, digestOf } from './request.js';

export interface ClientsOptions {
  keysFile: ClientKeysFile | undefined;
  issuer: TokenIssuer | undefined;
  /** Which clients may use the operator's secrets: only `known` ones, `anonymous` ones too, or `all` because there are no secrets. */
  admits: 'all' | 'anonymous' | 'known';
  log: Logger;
}

interface TokenIssuer {
  /** URL of its key set (RFC 7517 §5). */
  jwksUrl: URL;
  /** The only accepted values of the claims `iss` and `aud` (RFC 7519 §4.1). */
  issuer: string;
  audience: string;
  proxies: ProxySettings;
}

/** The sender of a request; empty for an anonymous client that is admitted. */
interface Identification extends Pick<RequestSummary, 'client' | 'credential'> {
  /** Key under which limits count a known client; undefined for a router, whose requests come from many clients. */
  readonly quotaKey?: string;
  /** The reason why the client may not use the operator's secrets. */
  readonly accessProblem?: AccessProblem;
}

declare module 'fastify' {
  interface FastifyRequest {
    quotaKey: Identification['quotaKey'];
    accessProblem: Identification['accessProblem'];
  }
}

/** Identifies the client of each request, before any limit is applied to it. */
export function identifyClients(scope: FastifyInstance, options: ClientsOptions): void {
  const { keysFile, issuer, admits, log } = options;
  const keys = keysFile && watchClientKeys(keysFile, log);
  scope.addHook('onClose', () => keys?.stop());
  const verifyToken = issuer && createTokenVerifier(issuer, log);
  const ways = [
    keysFile && '"X-Client-Key: <key>"',
    issuer && '"Authorization: Bearer <JWT>" or "X-Client-Authorization: Bearer <JWT>"',
  ].filter(Boolean);
  const expected = `Expected the header ${ways.join(' or ') || '"X-Subgraph-Token"'}`;

  /** An invalid credential for the gateway alone is rejected even if anonymous clients are admitted. */
  const reject = (isForGateway: boolean, accessProblem: AccessProblem): Identification =>
    admits === 'known' || (admits === 'anonymous' && isForGateway) ? { accessProblem } : {};
  const rejectCredential = (isForGateway: boolean, got: string) =>
    reject(isForGateway, { failure: 'clientUnknown', message: `${expected}, got ${got}` });

  const identify = async ({ headers, isRouter }: FastifyRequest): Promise<Identification> => {
    if (isRouter) return { client: 'router', credential: 'subgraph' };
    const key = headers[CLIENT_KEY_HEADER];
    if (keys && key !== undefined) {
      const name = keys.nameOf(digestOf(String(key)));
      if (name === undefined) return rejectCredential(true, 'an unknown key');
      return { client: name, credential: 'key', quotaKey: `key:${name}` };
    }
    const ownHeader = headers[CLIENT_AUTHORIZATION_HEADER];
    const isForGateway = ownHeader !== undefined;
    const header = isForGateway ? String(ownHeader) : headers.authorization;
    if (!verifyToken || header === undefined) return rejectCredential(false, 'none');
    const authorization = parseBearerToken(header);
    if (authorization === undefined) return rejectCredential(isForGateway, 'no bearer token');
    try {
      const subject = await verifyToken(tokenOf(authorization));
      return { client: truncate(subject), credential: 'jwt', quotaKey: `jwt:${subject}` };
    } catch (error) {
      if (error instanceof UnavailableError) return reject(isForGateway, { failure: 'clientUnverified' });
      return rejectCredential(isForGateway, describeInvalidToken(error));
    }
  };

  scope.addHook('onRequest', async (request) => {
    const { quotaKey, accessProblem, ...known } = await identify(request);
    request.quotaKey = quotaKey;
    request.accessProblem = accessProblem;
    Object.assign(request.telemetry.summary, known);
  });
}

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

/** Returns a function that resolves to the subject of a valid token. Rejects with an UnavailableError while there is no key set to verify it with. */
function createTokenVerifier(tokenIssuer: TokenIssuer, log: Logger) {
  const findKey = createKeySet(tokenIssuer, log);
  const { issuer, audience } = tokenIssuer;
  const expected = { ...REQUIREMENTS, issuer, audience };
  const remembered = new LRUCache<string, string>({ max: MAX_REMEMBERED });
  return async (token: string): Promise<string> => {
    const digest = hash('sha256', token, 'base64url');
    const known = remembered.get(digest);
    if (known !== undefined) return known;
    const { payload } = await verify(token, findKey, expected);
    const { sub: subject, exp = 0 } = payload as { sub?: unknown; exp?: number };
    if (typeof subject !== 'string' || subject === '')
      throw new errors.JWTClaimValidationFailed('Expected a string', payload, 'sub', 'invalid');
    const ttl = Math.min(REMEMBERED_MS, exp * 1000 - Date.now());
    if (ttl > 0) remembered.set(digest, subject, { ttl });
    return subject;
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
function createKeySet({ jwksUrl, proxies }: TokenIssuer, log: Logger) {
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
function describeInvalidToken(error: unknown): string {
  if (error instanceof errors.JWTExpired) return 'an expired JWT';
  if (error instanceof errors.JWTClaimValidationFailed)
    return `a JWT ${error.reason === 'missing' ? 'without the' : 'with another value of the'} claim ${error.claim}`;
  if (error instanceof errors.JWSInvalid || error instanceof errors.JWTInvalid) return 'no valid JWT';
  return 'a JWT that no key of its issuer verifies';
}
