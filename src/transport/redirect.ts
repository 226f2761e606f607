/** Where a redirect leads, in words for the log: nothing is followed, so the operator has to correct a URL, a path or an account. */
import type { Call } from './calls.js';
import { headerOf, type RestResponse } from './response.js';

/** A response with a 3xx status. Its target is resolved against the request (RFC 9110 §10.2.2). */
export function describeRedirect(response: RestResponse, call: Call): string {
  const { status } = response;
  const location = headerOf(response, 'location');
  if (location === undefined) return `${status} without a Location`;
  const target = parseTarget(location, call);
  if (target === undefined) return `${status} with a Location that is not an HTTP URL`;
  return [`${status} to ${call.redactUrl(target)}`, ...adviceFor(target, call)].join('; ');
}

function parseTarget(location: string, { baseUrl, path }: Call): URL | undefined {
  const requestUrl = baseUrl.origin + path;
  const target = URL.canParse(location, requestUrl) ? new URL(location, requestUrl) : undefined;
  return target !== undefined && /^https?:$/.test(target.protocol) ? target : undefined;
}

/** Services, and proxies in front of them, redirect from http to https on the same host. */
function adviceFor(target: URL, { baseUrl, urlVariable }: Call): string[] {
  const isUpgrade =
    baseUrl.protocol === 'http:' && target.protocol === 'https:' && target.hostname === baseUrl.hostname;
  return isUpgrade ? [`set ${urlVariable} to ${target.origin}${baseUrl.pathname.replace(/\/$/, '')}`] : [];
}
