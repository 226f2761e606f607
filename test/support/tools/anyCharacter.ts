import fc from 'fast-check';

const FIRST_SURROGATE = 0xd8_00;
const LAST_SURROGATE = 0xdf_ff;

/** Any character of Unicode. A string of fast-check's own unit `binary` first maps all of them to numbers, which takes seconds of CPU. */
export const anyCharacter = fc
  .integer({ min: 0, max: 0x10_ff_ff })
  .filter((code) => code < FIRST_SURROGATE || code > LAST_SURROGATE)
  .map((code) => String.fromCodePoint(code));
