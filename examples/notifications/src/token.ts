/** The bearer token. A real app gets it from its login; here, it also decides how the mock service behaves. */
export const TOKENS = {
  demo: 'Everything works',
  'demo-hangup': 'Connections are lost',
  'demo-slow': 'Responses take 15 seconds',
  'demo-rejected-fields': 'Some values are rejected',
  'demo-429': 'Too many requests',
  'demo-401': 'The token has expired',
  'demo-403': 'The token lacks a right',
};

export type Token = keyof typeof TOKENS;

const KEY = 'token';

export function currentToken(): Token {
  return (sessionStorage.getItem(KEY) as Token | null) ?? 'demo';
}

export function setToken(token: Token): void {
  sessionStorage.setItem(KEY, token);
}
