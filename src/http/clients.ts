/**
 * Who a client is: by a key of CLIENT_KEYS_FILE, by a JWT of CLIENT_JWT_ISSUER, or as a router with the subgraph token. Credentials are
 * compared and verified here; nothing else reads them.
 */
import { timingSafeEqual } from 'node:crypto';
import { unwatchFile, watchFile } from 'node:fs';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { readClientKeys, type ClientKey } from '../domain/clientKeys.js';
import { truncate } from '../domain/json.js';
import { parseBearerToken, tokenOf } from '../domain/parameters.js';
import type { AccessProblem } from '../freight/restCall.js';
import type { Credential } from '../telemetry/requestSummary.js';
import type { TokenVerifierOptions, Verification } from './clientTokens.js';
import { CLIENT_AUTHORIZATION_HEADER, CLIENT_KEY_HEADER, digestOf } from './request.js';

interface ClientKeysFile {
  readonly path: string;
  /** What the file had when the configuration was read. */
  readonly keys: readonly ClientKey[];
}

export interface ClientsOptions {
  keysFile: ClientKeysFile | undefined;
  /** The issuer of JWTs. */
  issuer: Omit<TokenVerifierOptions, 'log'> | undefined;
  /** Whom the operator's secrets are for: `known` clients, also `anonymous` ones, or `all` where there are none. */
  admits: 'all' | 'anonymous' | 'known';
  log: Logger;
}

export interface KnownClient {
  readonly name: string;
  readonly credential: Credential;
  /** Names its share of what is limited; undefined for a router, whose requests come from many clients. */
  readonly share: string | undefined;
}

/** Who sent a request; a problem is why the client may not use the operator's secrets. */
interface Identity {
  readonly client?: KnownClient;
  readonly problem?: AccessProblem | undefined;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Undefined for an anonymous client. */
    knownClient: KnownClient | undefined;
    accessProblem: AccessProblem | undefined;
  }
}

const ROUTER: Identity = { client: { name: 'router', credential: 'subgraph', share: undefined } };

/** Identifies the client of each request, before any limit is applied to it. */
export async function identifyClients(scope: FastifyInstance, options: ClientsOptions): Promise<void> {
  const { keysFile, issuer, admits, log } = options;
  const findKey = keysFile && watchKeys(scope, keysFile, log);
  const verifyToken = issuer && (await import('./clientTokens.js')).createTokenVerifier({ ...issuer, log });
  const expected = describeWays(options);

  /** A credential that is for the gateway alone is wrong also where anonymous clients are admitted. */
  const problemOf = (got: string, isForGateway: boolean): Identity => {
    const isProblem = admits === 'known' || (admits === 'anonymous' && isForGateway);
    return isProblem ? { problem: { failure: 'clientUnknown', message: `${expected}, got ${got}` } } : {};
  };
  const anonymous = problemOf('none', false);
  const identityOfSubject = (verification: Verification, isForGateway: boolean): Identity => {
    if (verification === 'unavailable') {
      const { problem } = problemOf('', isForGateway);
      return { problem: problem && { failure: 'clientUnverified' } };
    }
    if ('got' in verification) return problemOf(verification.got, isForGateway);
    const { subject } = verification;
    return { client: { name: truncate(subject), credential: 'jwt', share: `jwt:${subject}` } };
  };

  const identify = ({ headers, isSupergraph }: FastifyRequest): Identity | Promise<Identity> => {
    if (isSupergraph) return ROUTER;
    const key = headers[CLIENT_KEY_HEADER];
    if (findKey && key !== undefined) {
      const name = findKey(String(key));
      return name === undefined
        ? problemOf('an unknown key', true)
        : { client: { name, credential: 'key', share: `key:${name}` } };
    }
    const ownHeader = headers[CLIENT_AUTHORIZATION_HEADER];
    const header = ownHeader === undefined ? headers.authorization : String(ownHeader);
    if (!verifyToken || header === undefined) return anonymous;
    const isForGateway = ownHeader !== undefined;
    const authorization = parseBearerToken(header);
    if (authorization === undefined) return problemOf('no bearer token', isForGateway);
    const verification = verifyToken(tokenOf(authorization));
    return verification instanceof Promise
      ? verification.then((result) => identityOfSubject(result, isForGateway))
      : identityOfSubject(verification, isForGateway);
  };

  scope.addHook('onRequest', (request, _reply, done) => {
    const apply = ({ client, problem }: Identity) => {
      request.accessProblem = problem;
      if (client) {
        request.knownClient = client;
        request.telemetry.operation.client = client.name;
        request.telemetry.operation.credential = client.credential;
      }
      done();
    };
    const identity = identify(request);
    if (identity instanceof Promise) identity.then(apply, done);
    else apply(identity);
  });
}

/** What a client that has no valid credential should have sent. */
function describeWays({ keysFile, issuer }: ClientsOptions): string {
  const ways = [
    ...(keysFile ? ['"X-Client-Key: <key>"'] : []),
    ...(issuer ? ['"Authorization: Bearer <JWT>"', '"X-Client-Authorization: Bearer <JWT>"'] : []),
  ];
  return `Expected the header ${ways.length > 0 ? ways.join(' or ') : '"X-Subgraph-Token"'}`;
}

/** How often the file is looked at, in milliseconds. Its path may lead through links, which Kubernetes replaces: no watch sees that. */
const POLL_MS = 1000;

/** Finds the name of the client that has a key. An invalid file leaves the keys as they were. */
function watchKeys(scope: FastifyInstance, { path, keys: initial }: ClientKeysFile, log: Logger) {
  let keys = initial;
  const read = () => {
    const result = readClientKeys(path);
    if ('problems' in result)
      log.error({ problems: result.problems }, 'Invalid CLIENT_KEYS_FILE: the keys are those of before');
    else {
      keys = result.keys;
      log.info({ keys: keys.length }, 'Client keys read');
    }
  };
  watchFile(path, { interval: POLL_MS, persistent: false }, read);
  scope.addHook('onClose', (_instance, done) => {
    unwatchFile(path, read);
    done();
  });
  return (sent: string): string | undefined => {
    const digest = digestOf(sent);
    // Compares with all, so that its time tells nothing.
    return keys.filter((each) => timingSafeEqual(digest, each.digest))[0]?.name;
  };
}
