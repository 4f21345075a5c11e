import { expect, test } from 'vitest';
import { configPath } from '../../src/config/platform.ts';

const linux = { platform: 'linux', homedir: '/home/ana' } as const;

test.each([
  [{}, '/home/ana/.config/gatectl/config.json'],
  [{ XDG_CONFIG_HOME: '/xdg' }, '/xdg/gatectl/config.json'],
  [{ XDG_CONFIG_HOME: 'relative' }, '/home/ana/.config/gatectl/config.json'],
  [{ XDG_CONFIG_HOME: '' }, '/home/ana/.config/gatectl/config.json'],
  [{ XDG_CONFIG_HOME: '/xdg', GATECTL_CONFIG_DIR: '/own' }, '/own/config.json'],
  [{ APPDATA: '/roaming' }, '/home/ana/.config/gatectl/config.json'],
])('with %j profiles are stored in %s', (env, path) => {
  expect(configPath({ env, ...linux })).toBe(path);
});

test('on Windows they are stored in the roaming data', () => {
  const windows = { platform: 'win32', homedir: 'C:\\Users\\ana' } as const;
  const env = { APPDATA: 'C:\\Users\\ana\\AppData\\Roaming' };
  expect(configPath({ env, ...windows })).toBe('C:\\Users\\ana\\AppData\\Roaming\\gatectl\\config.json');
  expect(configPath({ env: {}, ...windows })).toBe('C:\\Users\\ana\\.config\\gatectl\\config.json');
});

test('without a home folder there is no path, unless one is configured', () => {
  const nowhere = { platform: 'linux', homedir: undefined } as const;
  expect(configPath({ env: {}, ...nowhere })).toBe(undefined);
  expect(configPath({ env: {}, ...nowhere, homedir: 'relative' })).toBe(undefined);
  expect(configPath({ env: { GATECTL_CONFIG_DIR: '/own' }, ...nowhere })).toBe('/own/config.json');
});
