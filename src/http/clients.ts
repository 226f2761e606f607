/**
 * Identifies clients by a key of CLIENT_KEYS_FILE, by a JWT of CLIENT_JWT_ISSUER, or as a router by the subgraph token. Credentials are
 * compared and verified here; nothing else reads them.
 */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { watchClientKeys, type ClientKeysFile } from '../domain/files.js';
import { truncate } from '../domain/text.js';
import { parseBearerToken, tokenOf } from '../domain/parameters.js';
import type { AccessProblem } from '../freight/restCall.js';
import type { RequestSummary } from '../telemetry/requestSummary.js';
import type { TokenVerifierOptions } from './clientTokens.js';
import { CLIENT_AUTHORIZATION_HEADER, CLIENT_KEY_HEADER, digestOf } from './request.js';

export interface ClientsOptions {
  keysFile: ClientKeysFile | undefined;
  /** The issuer of JWTs. */
  issuer: Omit<TokenVerifierOptions, 'log'> | undefined;
  /** Which clients may use the operator's secrets: only `known` ones, `anonymous` ones too, or `all` because there are no secrets. */
  admits: 'all' | 'anonymous' | 'known';
  log: Logger;
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
export async function identifyClients(scope: FastifyInstance, options: ClientsOptions): Promise<void> {
  const { keysFile, issuer, admits, log } = options;
  const keys = keysFile && watchClientKeys(keysFile, log);
  scope.addHook('onClose', (_instance, done) => {
    keys?.stop();
    done();
  });
  const verifyToken = issuer && (await import('./clientTokens.js')).createTokenVerifier({ ...issuer, log });
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
    const verification = await verifyToken(tokenOf(authorization));
    if (verification === 'unavailable') return reject(isForGateway, { failure: 'clientUnverified' });
    if ('rejectedAs' in verification) return rejectCredential(isForGateway, verification.rejectedAs);
    const { subject } = verification;
    return { client: truncate(subject), credential: 'jwt', quotaKey: `jwt:${subject}` };
  };

  scope.addHook('onRequest', async (request) => {
    const { quotaKey, accessProblem, ...known } = await identify(request);
    request.quotaKey = quotaKey;
    request.accessProblem = accessProblem;
    Object.assign(request.telemetry.summary, known);
  });
}
