/** Who a call is made for, so that one client's calls do not take what others need. */
import { tokenOf } from '../domain/parameters.js';

/** Names a client's request in log lines, which hold neither tokens nor addresses. */
export interface RequestIds {
  readonly requestId: string;
  /** The trace that the request belongs to, under the names of OpenTelemetry's trace context in JSON logs. */
  readonly trace_id?: string;
  /** The gateway's own span for the request, not the client's span, which is its parent. */
  readonly span_id?: string;
  readonly trace_flags?: string;
}

export interface ClientIdentity {
  /** The Authorization header, if it holds a well-formed bearer token. */
  readonly authorization: string | undefined;
  readonly peer: Peer;
  readonly ids: RequestIds;
}

/** The other end of the client's connection. */
export interface Peer {
  /** The IP address; for IPv6 its /64 network. Limits read it only when calls queue or fail, because reading it takes time. */
  readonly address: string;
}

/**
 * Identifies the token, in whatever letter case the scheme is sent; a client without a token is identified by its
 * address alone. No token contains an at sign (RFC 6750 §2.1).
 */
export function tokenKey({ authorization, peer }: ClientIdentity): string {
  return authorization === undefined ? `@${peer.address}` : tokenOf(authorization);
}
