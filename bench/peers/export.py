"""What a script of a dozen lines does: python3 export.py URL ROWS PAGE OUT"""
import csv
import json
import sys
import urllib.request

url, rows, page, out = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
with open(out, "w", newline="") as file:
    writer = None
    for offset in range(0, rows, page):
        query = {"data_set": f"rows_{rows}", "limit": page, "offset": offset}
        request = urllib.request.Request(url, json.dumps(query).encode())
        with urllib.request.urlopen(request) as answer:
            found = json.load(answer)["rows"]
        if writer is None:
            writer = csv.DictWriter(file, found[0].keys())
            writer.writeheader()
        writer.writerows(found)
