import tseslint from 'typescript-eslint';

export default tseslint.config(
  { ignores: ['dist/', 'coverage/', '**/generated/', 'test/bench/peers/', 'eslint.config.js'] },
  ...tseslint.configs.strictTypeChecked,
  {
    languageOptions: {
      parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname },
    },
    rules: {
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      'no-console': 'error',
      'no-restricted-properties': [
        'error',
        { object: 'process', property: 'env', message: 'Only src/main.ts reads the environment.' },
      ],
      'no-warning-comments': ['error', { terms: ['todo', 'fixme', 'xxx'] }],
    },
  },
  {
    files: ['src/main.ts', 'test/**', 'vitest.config.ts'],
    rules: { 'no-restricted-properties': 'off', 'no-console': 'off' },
  },
  {
    files: ['src/service/**', 'src/reference-service/**'],
    rules: {
      'no-restricted-imports': [
        'error',
        { patterns: ['graphql', '@apollo/*', '**/generated/*', '**/resolvers/*'] },
      ],
    },
  },
  {
    files: ['src/resolvers/**'],
    rules: { 'no-restricted-imports': ['error', { patterns: ['undici', 'fastify', 'node:http'] }] },
  },
);
