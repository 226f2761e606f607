import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { ConfigError, parseConfig } from '../../src/config/config.js';
import { fileVariables, readVariableFiles } from '../../src/config/variables.js';

const folder = mkdtempSync(join(tmpdir(), 'variables-'));
afterAll(() => rmSync(folder, { recursive: true }));

let count = 0;
function fileWith(content: string | Uint8Array): string {
  const path = join(folder, String(count++));
  writeFileSync(path, content);
  return path;
}

const SECRET = '5ecret-of-16-characters';

describe('The value of a variable is read from the file that NAME_FILE names', () => {
  test.each([
    ['as it is', SECRET, SECRET],
    ['without one newline at its end', `${SECRET}\n`, SECRET],
    ['without one newline of Windows at its end', `${SECRET}\r\n`, SECRET],
    ['with all other white space', ` ${SECRET}\n\t\n\n`, ` ${SECRET}\n\t\n`],
    ['without a byte order mark', `\uFEFF${SECRET}`, SECRET],
    ['up to 128 KiB', 'x'.repeat(131_072), 'x'.repeat(131_072)],
  ])('%s', (_how, content, value) => {
    const path = fileWith(content);
    const environment = { SUBGRAPH_TOKEN_FILE: path, SUBGRAPH_TOKEN: '', PATH: '/bin' };
    expect(readVariableFiles(environment)).toEqual({
      environment: { ...environment, SUBGRAPH_TOKEN: value },
      files: new Map([['SUBGRAPH_TOKEN', path]]),
      problems: [],
    });
  });

  test('through symbolic links, as Kubernetes mounts secrets', () => {
    symlinkSync(fileWith(`${SECRET}\n`), join(folder, 'link'));
    const { environment } = readVariableFiles({ SUBGRAPH_TOKEN_FILE: join(folder, 'link') });
    expect(parseConfig(environment).subgraph.tokens).toEqual([SECRET]);
  });

  test('for every variable except for the manifest, which is a file itself', () => {
    const path = fileWith('x');
    const environment = Object.fromEntries([...fileVariables.keys()].map((name) => [name, path]));
    const { files, problems } = readVariableFiles({ ...environment, OPERATIONS_MANIFEST_FILE: path });
    expect([...files.keys()]).toEqual([...fileVariables.values()]);
    expect(problems).toEqual([
      'OPERATIONS_MANIFEST_FILE: expected OPERATIONS_MANIFEST, which is the path of a file itself',
    ]);
  });

  test('unless it is empty, or that of another program', () => {
    const environment = {
      REDIS_URL_FILE: '',
      REDIS_URL: 'redis://127.0.0.1',
      SSL_CERT_FILE: '/none',
      PID_FILE: '/x',
    };
    expect(readVariableFiles(environment)).toEqual({ environment, files: new Map(), problems: [] });
  });
});

describe('A problem of a file is reported without its content:', () => {
  const directory = join(folder, 'directory');
  mkdirSync(directory);
  const file = fileWith(SECRET);

  test.each([
    [
      'a file that does not exist',
      join(folder, 'none'),
      `a readable file, got ${folder}/none, which does not exist (ENOENT)`,
    ],
    ['a directory', directory, `a regular file, got ${directory}, which is not one`],
    [
      'a file of more than 16 MiB',
      fileWith('x'.repeat(16_777_217)),
      'a file of at most 16777216 bytes, got 16777217',
    ],
    ['an empty file', fileWith(''), 'a file with a value, got an empty one'],
    [
      'a file in Latin-1',
      fileWith(Buffer.from(`${SECRET}é`, 'latin1')),
      'a text file in UTF-8, got other bytes',
    ],
    [
      'a secret in place of a path',
      SECRET,
      'a readable file, got a relative path, which does not exist (ENOENT)',
    ],
    [
      'a path with a null character',
      'a\0b',
      'a readable file, got a relative path, which is invalid (ERR_INVALID_ARG_VALUE)',
    ],
  ])('%s', (_name, path, expectation) => {
    const given = readVariableFiles({ SUBGRAPH_TOKEN_FILE: path });
    expect(given.problems).toEqual([`SUBGRAPH_TOKEN_FILE: expected ${expectation}`]);
    expect(given.environment).not.toHaveProperty('SUBGRAPH_TOKEN');
    expect(given.files.size).toBe(0);
  });

  test('a value and a file', () => {
    expect(readVariableFiles({ SUBGRAPH_TOKEN: SECRET, SUBGRAPH_TOKEN_FILE: file }).problems).toEqual([
      'SUBGRAPH_TOKEN_FILE: expected either SUBGRAPH_TOKEN or SUBGRAPH_TOKEN_FILE, got both',
    ]);
  });

  test('a file whose value is invalid, or of another variable', () => {
    const names = [
      'PORT',
      'NOTIFICATIONS_PATH',
      'SHIPMENT_PARAMETERS',
      'CORS_ORIGINS',
      'RATE_LIMIT',
      'REDIS_URL',
      'LOG_LEVEL',
    ];
    const given = readVariableFiles(Object.fromEntries(names.map((name) => [`${name}_FILE`, file])));
    const arrived = `, got another value in ${file}`;
    expect(() => parseConfig(given.environment, given)).toThrow(
      new ConfigError([
        `PORT: expected an integer from 0 to 65535${arrived}`,
        `NOTIFICATIONS_PATH: expected a path such as /v1/customnotifications/{notificationGuid}${arrived}`,
        'SHIPMENT_PARAMETERS: expected a JSON object, in single quotes where a shell reads it, and only there',
        `CORS_ORIGINS: expected origins such as https://app.example.com, separated by commas${arrived}`,
        `RATE_LIMIT: expected a rate such as 600/60s${arrived}`,
        'REDIS_URL: expected a URL such as redis://user:password@redis:6379/0 or redis+sentinel://user:password@host:26379,host2:26379/name (rediss for TLS), with a percent-encoded password',
        `LOG_LEVEL: expected trace, debug, info, warn, error, fatal or silent${arrived}`,
      ]),
    );
  });
});
