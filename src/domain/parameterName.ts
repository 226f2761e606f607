/** Names of parameters that clients choose for the service. */
import { InputRule, type Violation } from '../errors.js';

/** Maximum characters: comparing a name takes time that grows with its length. */
const MAX_NAME_LENGTH = 100;

/** Control, format and other characters that are displayed as nothing, and that a service may drop. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/gu;
/** Needs no normalization. */
const VISIBLE_ASCII = /^[!-~]*$/;

/**
 * The form in which names are compared, so that no spelling that a service may read as a reserved name gets past it: NFKC
 * (Unicode Standard Annex 15: `ａ` is `a`), without invisible characters and surrounding white space, and case-folded by way
 * of upper case, because `ı` and `ſ` have upper-case forms in ASCII.
 */
export function canonicalParameterName(name: string): string {
  if (VISIBLE_ASCII.test(name)) return name.toLowerCase();
  const visible = name.normalize('NFKC').replace(INVISIBLE, '').trim();
  const folded = visible.toUpperCase().toLowerCase().normalize('NFKC');
  return folded.replaceAll('i\u0307', 'i'); // İ in lower case
}

/**
 * Every name that a service may read this one as, in the form in which names are compared. Common parsers of query strings take
 * `name[]`, `name[0]`, `[name]` and `name.key` for parts of `name`, and PHP reads `a.b`, `a b` and `a[b` as `a_b`.
 */
export function possibleParameterNames(name: string): string[] {
  const canonical = canonicalParameterName(name);
  if (/^\w*$/.test(canonical)) return [canonical];
  const [first = ''] = canonical.split(/[.[\]]/).filter((part) => part.trim() !== '');
  const [beforeBracket = ''] = canonical.split('[');
  const underscored = [canonical, beforeBracket].map((text) => text.replace(/[ .[]/g, '_'));
  return [canonical, first.trim(), ...underscored];
}

/** Why the service cannot have a parameter of this name, or undefined if it can. */
export function parameterNameProblem(name: string): Violation | undefined {
  if (name === '') return { rule: InputRule.NotEmpty, message: 'expected a non-empty parameter name' };
  if (name.length > MAX_NAME_LENGTH) {
    const limit = MAX_NAME_LENGTH;
    const message = `expected a parameter name of at most ${limit} characters, got ${name.length}`;
    return { rule: InputRule.MaxLength, limit, message };
  }
  const rule = InputRule.Characters;
  if (!name.isWellFormed()) return { rule, message: 'expected a parameter name in well-formed Unicode' };
  if (/\p{Cc}/u.test(name)) return { rule, message: 'expected a parameter name without control characters' };
  return undefined;
}
