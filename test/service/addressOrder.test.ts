import { afterEach, expect, test } from 'vitest';
import { lookupShuffled } from '../../src/transport/addressOrder.js';
import { stubDns } from '../support/http/stubDns.js';

const ADDRESSES = ['fd00::1', 'fd00::2', '192.0.2.1', '192.0.2.2', '192.0.2.3'].map((address) => ({
  address,
  family: address.includes(':') ? 6 : 4,
}));

let dns: ReturnType<typeof stubDns>;
afterEach(() => {
  dns.restore();
});

function lookUp(all: boolean) {
  return new Promise((resolve) => {
    lookupShuffled('service.test', { all }, (...result) => {
      resolve(result);
    });
  });
}

test('any address of the preferred family may be the first, and no address is lost', async () => {
  dns = stubDns('service.test', (reply) => {
    reply(null, ADDRESSES);
  });
  const firsts = new Set<string>();
  for (let count = 0; count < 200; count += 1) {
    const [error, addresses] = (await lookUp(true)) as [null, typeof ADDRESSES];
    expect(error).toBeNull();
    expect(addresses.map(({ family }) => family)).toEqual([6, 6, 4, 4, 4]);
    expect(new Set(addresses)).toEqual(new Set(ADDRESSES));
    firsts.add(`${addresses[0]?.address} ${addresses[2]?.address}`);
  }
  expect(firsts.size).toBe(6);
});

test('a lookup of a single address gets one of the preferred family', async () => {
  dns = stubDns('service.test', (reply) => {
    reply(null, ADDRESSES);
  });
  expect(await lookUp(false)).toEqual([null, expect.stringMatching(/^fd00::[12]$/), 6]);
});

test('a lookup has the options of its connection, but gets all addresses', async () => {
  const options: unknown[] = [];
  dns = stubDns('service.test', (reply, given) => {
    options.push(given);
    reply(null, ADDRESSES);
  });
  await new Promise((resolve) => {
    lookupShuffled('service.test', { family: 4, hints: 32 }, resolve);
  });
  expect(options).toEqual([{ family: 4, hints: 32, all: true }]);
});

test('a lookup that fails reports its error', async () => {
  const error = Object.assign(new Error('No such host'), { code: 'ENOTFOUND' });
  dns = stubDns('service.test', (reply) => {
    reply(error, []);
  });
  expect(await lookUp(true)).toEqual([error, []]);
});
