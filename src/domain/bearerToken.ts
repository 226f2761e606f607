/** Bearer tokens in the Authorization header (RFC 6750 §2.1). */

/** Returns the header unchanged if it holds a bearer token of the characters that RFC 6750 §2.1 allows. */
export function parseBearerToken(authorization: string | undefined): string | undefined {
  return authorization !== undefined && /^Bearer +[\w.~+/-]+=*$/i.test(authorization)
    ? authorization
    : undefined;
}

/** The token alone, from a header that `parseBearerToken` accepted. */
export function tokenOf(authorization: string): string {
  return authorization.replace(/^\S+ +/, '');
}
