// Damages of what users signed (J) are found, where jobs run as them, and made good.

#include <functional>
#include <string>

#include <gtest/gtest.h>

#include "manager/check/fsck.h"
#include "manager/check/repair.h"
#include "manager/jobs/signed_fixture.h"
#include "records/keys.h"
#include "records/signed_requests.h"
#include "store/rocks/database.h"
#include "store/store_lock.h"

namespace fq::test {
namespace {

using notation::JobId;
using store::Family;
namespace key = records::key;

class SignedJobs : public SignedStore {
 protected:
  SignedJobs() {
    request::JobGroup waits = one();
    waits.urgency = 0;
    waiting = submit(sign(waits)).at(0);
    request::JobGroup rows = many();
    rows.urgency = 0;
    bulk = submit(sign(rows));
    ended = submit(sign(one())).at(0);
    s.finish(ended);
    EXPECT_EQ(check(), "");
  }

  void edit(JobId id, const std::function<void(store::Transaction&, const std::string&)>& change) const {
    const auto lock = store::StoreLock::acquire(s.session.store, 10, "test");
    auto database = store::rocks::Database::open(store::database_path(s.session.store), /*create=*/false);
    store::rocks::Transaction transaction = database.begin();
    change(transaction, key::signed_request(id));
    transaction.commit();
    database.close();
  }
  void put(JobId id, const std::string& value) const {
    edit(id, [&](store::Transaction& t, const std::string& key) { t.put(Family::kvs, key, value); });
  }
  [[nodiscard]] std::string value(JobId id) const {
    std::string out;
    edit(id, [&](store::Transaction& t, const std::string& key) { out = t.get(Family::kvs, key).value(); });
    return out;
  }
  // What is found but for the counter of bytes, which a changed J changes.
  std::string check() {
    std::string out;
    manager::fsck(s.session, [&](const std::string& line) {
      if (!line.starts_with("the counter of bytes")) out += line + '\n';
    });
    return out;
  }
  std::string repair() {
    std::string out;
    const std::string aside = manager::aside_directory(s.session);
    manager::repair(s.session, aside, [&](const std::string& line) { out += line + '\n'; });
    for (std::size_t at = out.find(aside); at != std::string::npos; at = out.find(aside))
      out.replace(at, aside.size(), "ASIDE");
    manager::fsck(s.session, [&](const std::string& line) { ADD_FAILURE() << line; });
    return out;
  }
  static std::string name(JobId id) { return notation::to_f58(id); }

  JobId waiting, ended;
  std::vector<JobId> bulk;
};

TEST_F(SignedJobs, one_that_is_lost_is_found_and_its_job_fails) {
  // One that has ended needs none.
  edit(waiting, [](store::Transaction& t, const std::string& key) { t.erase(Family::kvs, key); });
  edit(ended, [](store::Transaction& t, const std::string& key) { t.erase(Family::kvs, key); });
  const std::string fault = "job " + name(waiting) + ": it has no J: nothing says that its user wants it\n";
  EXPECT_EQ(check(), fault);
  EXPECT_EQ(repair(), "job " + name(waiting) +
                          ": it has failed: it has no J: nothing says that its user wants it; what there was "
                          "is in 'ASIDE/jobs'\n");
  EXPECT_EQ(s.states({waiting, ended}), "F CD");
}

TEST_F(SignedJobs, what_was_edited_forged_or_is_anothers_is_found_and_given_up) {
  const std::string good = value(waiting), many_of = value(bulk[1]);
  const auto with_J = [&](const std::function<void(signature::SignedRequest&)>& change,
                          const signature::SecretKey& key) {
    signature::SignedRequest request = request_for(one());
    change(request);
    return signature::sign(request, key) + good.substr(good.find('\n'));
  };
  const auto same = [](const signature::SignedRequest&) {};
  std::string edited = good;
  edited[good.find('.') + 10] ^= 1;
  const std::vector<std::pair<std::string, std::string>> damages{
      {"garbage", "J of job " + name(waiting) + " is damaged: there are fields missing"},
      {edited, "the signature of J is wrong"},
      {with_J(same, signature::SecretKey::make()), "J is signed by a key that is not known here"},
      {with_J([](auto& request) { request.userid = kUser + 1; }, key_),
       "J is signed by user 2001, and the job is user 2000's"},
      {with_J([](auto& request) { request.store = "other"; }, key_), "J is for the store 'other'"},
      {with_J([](auto& request) { request.machine = "ff"; }, key_), "J is for another machine"},
      {with_J([](auto& request) { request.payload += " "; }, key_), "J was not signed for its jobspec"},
      {many_of, "J was not signed for its jobspec"},
  };
  for (const auto& [damaged, fault] : damages) {
    put(waiting, damaged);
    EXPECT_EQ(check(), "job " + name(waiting) + ": " + fault + "\n");
  }
  // A row of a bulk submission has another's values, or another's place.
  put(waiting, good);
  put(bulk[1], value(bulk[2]));
  EXPECT_EQ(check(), "job " + name(bulk[1]) + ": J was not signed for its jobspec\n");
  EXPECT_EQ(repair(), "job " + name(bulk[1]) +
                          ": its J was given up: J was not signed for its jobspec; what there was is in "
                          "'ASIDE/jobs'\njob " +
                          name(bulk[1]) +
                          ": it has failed: J was not signed for its jobspec; what there was is in "
                          "'ASIDE/jobs'\n");
  EXPECT_EQ(s.states({waiting, bulk[0], bulk[1], bulk[2], ended}), "S S F S CD");
}

TEST_F(SignedJobs, a_key_that_was_forgotten_is_missed_by_jobs_that_have_not_ended) {
  // J that has expired is none the worse for it.
  s.clock.advance(1000);
  EXPECT_EQ(check(), "");
  write_file(signatures_.public_keys,
             signature::public_keys_text({signature::SecretKey::make().public_key()}));
  std::string wanted = "job " + name(waiting) + ": J is signed by a key that is not known here\n";
  for (const JobId id : bulk) wanted += "job " + name(id) + ": J is signed by a key that is not known here\n";
  EXPECT_EQ(check(), wanted);
}

TEST_F(SignedJobs, the_owners_jobs_have_none) {
  request::JobGroup own = one();
  own.urgency = 0;
  s.session.caller = {1000, 1000};
  s.session.signatures = nullptr;
  const JobId id = submit(own).at(0);
  s.session.signatures = &signatures_;
  put(id, value(waiting));
  EXPECT_EQ(check(), "job " + name(id) + ": it has a J, and runs as who the store belongs to\n");
  EXPECT_EQ(repair(),
            "job " + name(id) +
                ": its J was given up: it has a J, and runs as who the store belongs to; what there "
                "was is in 'ASIDE/jobs'\n");
  EXPECT_EQ(s.states({id}), "S");
}

}  // namespace
}  // namespace fq::test
