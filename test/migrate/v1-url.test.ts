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
    [
      '/bdaservices/getCustomData/?reportName=Pages&customReportId=7&developerKey=KEY-9',
      { endpoint: 'getCustomData', ignoredParameters: 2 },
    ],
    [' bdaservices/GETCUSTOMDATA/ ', { endpoint: 'getCustomData', ignoredParameters: 0 }],
    [
      'https://user:KEY-9@gw.example.com/bdaservices/getdata/?REPORTNAME=x&reportName=&KEY-9&v=KEY-9#KEY-9',
      { endpoint: 'getdata', reportName: 'x', ignoredParameters: 2 },
    ],
  ])('%s', (url, call) => {
    expect(readV1Url(url)).toEqual({ ok: true, call });
  });

  test.each<[string, string]>([
    ['https://', 'it is not a URL'],
    ['https://gw.example.com/KEY-9', 'it is not the URL of a v1 analytics endpoint'],
    ['', 'it is not the URL of a v1 analytics endpoint'],
    [
      'https://gw.example.com/gateway/bdaservices/v2/query?developerKey=KEY-9',
      'the URL is one of v2 already',
    ],
    [
      'https://gw.example.com/bdaservices/getdata/?developerKey=KEY-9',
      'a getdata URL requires reportName or customReportId',
    ],
    [
      'https://gw.example.com/bdaservices/getdata/?reportName=KEY-9&customReportId=4',
      'the URL names more than one report',
    ],
    [
      'https://gw.example.com/bdaservices/getdata/?reportName=$REPORT',
      'the report in the URL is $REPORT, whose value is unknown',
    ],
    [
      'https://gw.example.com/bdaservices/getdomains/?developerKey=KEY-9',
      'getdomains is not a data request; GET /domains lists the domains',
    ],
    [
      'https://gw.example.com/bdaservices/getreport/?reportName=KEY-9',
      'getreport is not a data request; v2 stores no reports: each query names its columns',
    ],
    [
      'https://gw.example.com/bdaservices/createsegment/',
      'createsegment is not a data request; v2 stores no segments: each query carries its filters. Its body is a definition that can be migrated',
    ],
  ])('%s is rejected', (url, reason) => {
    expect(readV1Url(url)).toEqual({ ok: false, reason });
  });
});
