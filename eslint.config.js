import tseslint from 'typescript-eslint';

export default tseslint.config(
  {
    ignores: [
      '**/dist/',
      'coverage/',
      'reports/',
      '.stryker-tmp/',
      '**/generated/',
      'bench/peers/',
      '*.config.js',
      'scripts/*.js',
      '.dependency-cruiser.js',
    ],
  },
  ...tseslint.configs.strictTypeChecked,
  {
    languageOptions: {
      parserOptions: {
        project: [
          'tsconfig.json',
          '{examples,src/client,src/client/command,src/explorer,test/consumers}/tsconfig.json',
        ],
        tsconfigRootDir: import.meta.dirname,
      },
    },
    rules: {
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
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
    files: [
      'src/main.ts',
      'src/client/command/main.ts',
      'test/**',
      'bench/**',
      'deploy/**',
      '**/vite*.config.ts',
    ],
    rules: { 'no-restricted-properties': 'off', 'no-console': 'off' },
  },
  {
    // What a test does with a value of the wrong type shows when it runs; without these, ESLint takes a sixth less CPU.
    files: ['test/**'],
    rules: {
      '@typescript-eslint/no-deprecated': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-class-instance-assignment': 'off',
      '@typescript-eslint/no-unsafe-enum-assignment': 'off',
    },
  },
  {
    files: ['test/**'],
    ignores: ['test/support/tools/waiting.ts'],
    rules: {
      'no-restricted-properties': [
        'error',
        ...['waitFor', 'waitUntil'].map((property) => ({
          object: 'vi',
          property,
          message: 'It gives up after a second by default: use test/support/tools/waiting.ts.',
        })),
      ],
    },
  },
  {
    files: ['src/**'],
    ignores: ['src/main.ts', 'src/mock/main.ts', 'src/client/command/main.ts', 'src/explorer/**'],
    rules: {
      'no-restricted-syntax': [
        'error',
        {
          selector: 'Program > :matches(ExpressionStatement, IfStatement, TryStatement, ForStatement)',
          message: 'Importing a module must do nothing: only a program acts at its top level.',
        },
        {
          selector: 'Program > ImportDeclaration[specifiers.length=0]',
          message: 'Importing a module must do nothing: import a name.',
        },
      ],
    },
  },
  {
    files: ['src/fields/**'],
    rules: {
      'no-restricted-syntax': [
        'error',
        {
          selector: 'TryStatement',
          message: 'Resolvers are tables: errors are formatted in graphql/formatErrors.ts.',
        },
      ],
    },
  },
);
