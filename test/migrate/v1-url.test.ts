import { describe, expect, test } from 'vitest';
import { readV1Url } from '../../src/migrate/index.ts';

describe('the URL of a v1 request', () => {
  test.each<[string, object]>([
    [
      'https://gw.example.com/bdaservices/getdata/?developerKey=KEY-9&reportName=Page%20Views',
      { endpoint: 'getdata', reportName: 'Page Views', ignoredParameters: 0 },
    ],
    [
      'https://gw.example.com/root/bdaservices/getdata?customReportId=12&developerKey=KEY-9',
      { endpoint: 'getdata', customReportId: '12', ignoredParameters: 0 },
    ],
    [
      '…/getdata/?reportName=Traffic+today',
      { endpoint: 'getdata', reportName: 'Traffic today', ignoredParameters: 0 },
    ],
    ['/bdaservices/getCustomData/', { endpoint: 'getCustomData', ignoredParameters: 0 }],
    [' bdaservices/GETCUSTOMDATA/ ', { endpoint: 'getCustomData', ignoredParameters: 0 }],
    [
      'https://user:KEY-9@gw.example.com/bdaservices/getdata/?REPORTNAME=x&reportName=&KEY-9&v=KEY-9#KEY-9',
      { endpoint: 'getdata', reportName: 'x', ignoredParameters: 2 },
    ],
  ])('%s', (url, call) => {
    expect(readV1Url(url)).toEqual({ ok: true, call });
  });

  test.each<[string, string]>([
    ['https://', 'this is not a URL'],
    ['https://gw.example.com/KEY-9', 'this is not the URL of a v1 analytics endpoint'],
    ['', 'this is not the URL of a v1 analytics endpoint'],
    [
      'https://gw.example.com/gateway/bdaservices/v2/query?developerKey=KEY-9',
      'this is a v2 URL: there is nothing to migrate',
    ],
    [
      'https://gw.example.com/bdaservices/getdata/?developerKey=KEY-9',
      'getdata names its report in the URL: reportName or customReportId is missing',
    ],
    [
      'https://gw.example.com/bdaservices/getdata/?reportName=KEY-9&customReportId=4',
      'the URL names more than one report',
    ],
    [
      'https://gw.example.com/bdaservices/getdata/?reportName=$REPORT',
      'the report in the URL is $REPORT, whose value is not known here',
    ],
    [
      'https://gw.example.com/bdaservices/getdomains/?developerKey=KEY-9',
      'getdomains asks for no data. GET /domains lists the domains',
    ],
    [
      'https://gw.example.com/bdaservices/getreport/?reportName=KEY-9',
      'getreport asks for no data. v2 keeps no reports on the server: each query says its own columns',
    ],
    [
      'https://gw.example.com/bdaservices/createsegment/',
      'createsegment asks for no data. v2 keeps no segments on the server: each query carries its own filters. Its body is a definition that can be migrated',
    ],
  ])('%s is refused', (url, reason) => {
    expect(readV1Url(url)).toEqual({ ok: false, reason });
  });
});
