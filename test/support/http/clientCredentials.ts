/** Credentials of clients: a file of keys, and an issuer of JWTs with its key set, served over HTTP. */
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { onTestFinished } from 'vitest';
import { serve } from './serve.js';

/** A line of the file. */
export function keyLine(name: string, key: string): string {
  return `${name} ${createHash('sha256').update(key).digest('hex')}`;
}

/** A file that disappears with the test or the suite, as `cleanUp` says. */
export function writeKeysFile(text: string, cleanUp: (remove: () => void) => void = onTestFinished): string {
  const folder = mkdtempSync(join(tmpdir(), 'client-keys-'));
  cleanUp(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'keys');
  writeFileSync(path, text);
  return path;
}

export const ISSUER = 'https://issuer.example';
export const AUDIENCE = 'shipment-gateway';

export interface Issuer {
  /** Of the key set. */
  readonly url: string;
  /** How often the key set was requested. */
  readonly requests: () => number;
  /** A JWT that is valid unless the claims or the key ID say otherwise. */
  sign(claims?: Record<string, unknown>, kid?: string): Promise<string>;
  /** The public key, as the key set has it. */
  readonly publicKey: object;
  /** The key set. @default the public key */
  keys: object[];
  /** Whether the key set is served; otherwise the response is 503. */
  isUp: boolean;
  stop(): Promise<void>;
}

export async function startIssuer(alg = 'ES256'): Promise<Issuer> {
  const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true });
  const jwk = { ...(await exportJWK(publicKey)), kid: 'key-1', alg, use: 'sig' };
  let requests = 0;
  const server = createServer((_request, response) => {
    requests += 1;
    response.writeHead(issuer.isUp ? 200 : 503, { 'content-type': 'application/json' });
    response.end(issuer.isUp ? JSON.stringify({ keys: issuer.keys }) : '');
  });
  const { url, stop } = await serve(server);
  const issuer: Issuer = {
    url: `${url}/jwks`,
    requests: () => requests,
    publicKey: jwk,
    keys: [jwk],
    isUp: true,
    stop,
    sign: (claims = {}, kid = 'key-1') => {
      const now = Math.floor(Date.now() / 1000);
      const payload = { iss: ISSUER, aud: AUDIENCE, sub: 'a-subject', exp: now + 3600, ...claims };
      return new SignJWT(payload).setProtectedHeader({ alg, kid }).sign(privateKey);
    },
  };
  return issuer;
}
