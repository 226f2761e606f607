/** What log lines and spans say of a request. */
import { isIP } from 'node:net';
import type { FastifyRequest } from 'fastify';
import type { RequestIds } from '../transport/clientIdentity.js';
import type { RequestTelemetry } from '../telemetry/requestTelemetry.js';
import type { RequestDescription } from '../telemetry/tracing.js';
import { isValidHost } from './headers.js';

/** The maximum length of a name in DNS (RFC 1035 §2.3.4), which a Host header may exceed. */
const MAX_HOST_LENGTH = 255;
const MAX_USER_AGENT_LENGTH = 256;

/** For spans alone, because some of it takes parsing: the original request, as far as trusted proxies tell. */
export function describeRequest(request: FastifyRequest): RequestDescription {
  const { headers, host, ip, raw } = request;
  const scheme = request.protocol === 'https' ? 'https' : 'http';
  const hasHost = host.length <= MAX_HOST_LENGTH && isValidHost(host);
  return {
    route: request.routeOptions.url,
    hasQuery: request.url.includes('?'),
    scheme,
    serverAddress: hasHost ? request.hostname.replaceAll(/[[\]]/g, '') : undefined,
    serverPort: hasHost ? (request.port ?? (scheme === 'https' ? 443 : 80)) : undefined,
    clientAddress: isIP(ip) === 0 ? undefined : ip,
    peerAddress: raw.socket.remoteAddress,
    peerPort: raw.socket.remotePort,
    protocolVersion: raw.httpVersion,
    userAgent: headers['user-agent']?.slice(0, MAX_USER_AGENT_LENGTH),
  };
}

/** What names a request in log lines; health checks have no telemetry. */
export function idsOf({
  id,
  telemetry,
}: {
  id: string;
  telemetry: RequestTelemetry | undefined;
}): RequestIds {
  return telemetry?.ids ?? { requestId: id };
}
