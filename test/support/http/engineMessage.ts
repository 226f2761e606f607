/** Messages of the JavaScript engine, which no response may contain. */
export const ENGINE_MESSAGE =
  /call stack|JSON at position|in JSON|Unexpected (?:token|end of)|is not (?:a function|iterable|a constructor)|Cannot (?:read|convert|set|destructure)|of undefined|Invalid (?:array|string|regular)/;
