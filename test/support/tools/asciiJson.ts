/** JSON as the gateway sends it: other characters than those of ASCII are escaped. */
export function asciiJson(json: string): string {
  return json.replace(
    /[\u0080-\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
