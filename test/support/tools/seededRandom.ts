/** Reproducible randomness: every use prints its seed, and FAULT_SEED sets it. */
export interface SeededRandom {
  /** A 32-bit seed for another generator, such as fast-check's. */
  readonly seed: number;
  /** An integer from 0 to below the bound. */
  below(bound: number): number;
  /** True with the given probability. */
  happens(share: number): boolean;
  pick<T>(list: readonly [T, ...T[]]): T;
  shuffle<T>(list: readonly T[]): T[];
  bytes(count: number): Buffer;
}

export function seededRandom(purpose: string): SeededRandom {
  const base = Number(process.env['FAULT_SEED'] ?? 20_240_501);
  const seed = Buffer.from(purpose).reduce((hash, byte) => Math.imul(hash ^ byte, 0x01000193), base);
  console.log(`FAULT_SEED=${base} for ${purpose}`);
  const next = mulberry32(seed);
  const below = (bound: number) => Math.floor(next() * bound);
  return {
    seed,
    below,
    happens: (share) => next() < share,
    pick: (list) => list[below(list.length)] ?? list[0],
    shuffle(list) {
      const remaining = [...list];
      return list.flatMap(() => remaining.splice(below(remaining.length), 1));
    },
    bytes: (count) => Buffer.from(Array.from({ length: count }, () => below(256))),
  };
}

/** A pseudorandom generator with 32 bits of state, which is plenty for tests. */
function mulberry32(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
